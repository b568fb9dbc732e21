import { seededRandom } from './seeded-random.ts';

/** Makes texts that are payment messages or nearly: of likely parts, a third of them with a few characters changed. The same seed makes the same. */
export function createMessageMaker(seed: number): () => string {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const digits = (count: number) => Array.from({ length: count }, () => below(10)).join('');

  const two = (limit: number) => String(below(limit)).padStart(2, '0');
  /** Mostly one of the first, which are right. */
  const mostly = (right: readonly string[], odd: readonly string[]) => (below(12) === 0 ? pick(odd) : pick(right));

  const amount = () => {
    const units = mostly(
      [digits(1), digits(2), digits(4), digits(1 + below(15)), '0'.repeat(below(40)) + digits(3), '999999999999999'],
      ['', '1000000000000000', digits(16 + below(80))],
    );
    return units + mostly(['', `.${digits(1)}`, `.${digits(2)}`], [`.${digits(3)}`, '.', ',5']);
  };
  const destination = () =>
    mostly(
      [
        'DE89370400440532013000',
        'DE89 3704 0044 0532 0130 00',
        'DE89...3000',
        '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed on base sepolia',
        'x',
        'a to b at c',
        'Ærø\n\u2028 at 2026-11-20T17:03Z',
      ],
      [' ', ''],
    );
  const date = () => {
    const year = pick([String(2_000 + below(100)), '2026', digits(4), '0000', '9999', '1900', '2000', '2400']);
    const month = mostly([String(1 + below(12)), '2'], [String(below(14))]);
    const day = mostly([String(1 + below(28)), String(1 + below(28)), String(28 + below(4))], [String(below(33))]);
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  };
  const clock = () => {
    const seconds = `:${mostly([two(60)], [two(62)])}`;
    const fraction = mostly(['', `.${digits(3)}`, `.${digits(1 + below(12))}`, `.${digits(1 + below(70))}`], ['.', ',1']);
    const precise = mostly(['', seconds, seconds + fraction], [fraction]);
    return `${mostly([two(24)], [two(26)])}:${mostly([two(60)], [two(62)])}${precise}`;
  };
  const zone = () => {
    return mostly(['Z', 'Z', `+${two(24)}:${two(60)}`, `-${two(24)}:${two(60)}`], ['', 'z', '+0100', `+${two(26)}:${two(62)}`]);
  };
  const good = () => {
    const currency = mostly(['EUR', 'USD', 'GBP', 'ISK', 'AAA', 'ZZZ'], ['eur', 'EURO', 'E1R', '€UR']);
    return `Send ${currency} ${amount()} to ${destination()} at ${date()}T${clock()}${zone()}`;
  };
  const odd = () =>
    pick([' ', ' ', '0', '9', 'a', 'A', 'Z', '[', '@', '/', ':', '.', '-', '+', 'T', '\n', '\t', '\0', '\u00a0', '٣', '１', '😀', '']);

  return () => {
    let text = good();
    if (below(3) === 0) {
      for (let changes = 1 + below(3); changes > 0; changes--) {
        const position = below(text.length + 1);
        text = text.slice(0, position) + odd() + text.slice(position + below(2));
      }
    }
    return below(50) === 0 ? text.slice(0, below(text.length)) : text;
  };
}
