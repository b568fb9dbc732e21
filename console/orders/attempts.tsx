import { Hash } from '../design/hash.tsx';
import { Time } from '../design/time.tsx';
import styles from './order-path.module.css';
import type { OrderView } from './queries.ts';

type Attempt = OrderView['legs'][number]['transactions'][number]['attempts'][number];

const decimalsOfGwei = 9;

/** What each attempt at the same nonce offered for its gas. */
export function Attempts({ attempts, chain }: { attempts: readonly Attempt[]; chain: string | null }) {
  return (
    <table className={styles.table}>
      <caption className={styles.caption}>
        {attempts.length === 1 ? 'Fee, in gwei a gas' : `Fees of its ${attempts.length} attempts, in gwei a gas`}
      </caption>
      <thead>
        <tr>
          <th scope="col">Sent</th>
          <th scope="col">Hash</th>
          <th scope="col" className={styles.end}>
            At most
          </th>
          <th scope="col" className={styles.end}>
            Tip
          </th>
        </tr>
      </thead>
      <tbody>
        {attempts.map(({ hash, maxFeePerGas, maxPriorityFeePerGas, createdAt }) => (
          <tr key={hash}>
            <td>
              <Time at={createdAt} />
            </td>
            <td>
              <Hash value={hash} chain={chain ?? undefined} />
            </td>
            <td className={styles.end}>{formatGwei(maxFeePerGas)}</td>
            <td className={styles.end}>{formatGwei(maxPriorityFeePerGas)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Wei as gwei, with all of its digits. */
function formatGwei(wei: string): string {
  const digits = wei.padStart(decimalsOfGwei + 1, '0');
  const fraction = digits.slice(-decimalsOfGwei).replace(/0+$/, '');
  return digits.slice(0, -decimalsOfGwei) + (fraction === '' ? '' : `.${fraction}`);
}
