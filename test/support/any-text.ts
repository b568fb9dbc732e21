import { array, integer, type Arbitrary } from 'fast-check';

/** A text of any code points but surrogates, which `fc.string({ unit: 'binary' })` also draws after a second of preparation in each process. */
export function anyText({ maxLength = 10 }: { maxLength?: number } = {}): Arbitrary<string> {
  return array(integer({ min: 0, max: 0x10_f7_ff }), { maxLength }).map((positions) =>
    String.fromCodePoint(...positions.map((position) => (position < 0xd8_00 ? position : position + 0x8_00))),
  );
}
