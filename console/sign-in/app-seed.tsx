import { Copyable } from '../design/hash.tsx';
import { QrCode } from './qr-code.tsx';

/** The key of an authenticator app, to scan or to type. */
export function AppSeed({ seed, uri }: { seed: string; uri: string }) {
  return (
    <>
      <p>Scan this with an authenticator app, or type the key into it.</p>
      <QrCode text={uri} label="Key of the authenticator app" />
      <Copyable value={seed} />
    </>
  );
}
