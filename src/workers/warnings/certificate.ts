import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { type Settings, settingVariable } from '../../platform/settings.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';
import type { Warning, WarningDeps } from './warning.ts';

const connectMs = 5_000;

/**
 * Warns of the end of the certificate in `TLS_CERTIFICATE`, or else of the one that `BASE_URL` shows. Where this process cannot reach its own public
 * address, as behind some routers, nothing is known. Throws what the file or the connection throws.
 */
export async function certificateWarnings({ settings, registry }: WarningDeps): Promise<Warning[]> {
  const certificate = await readCertificate(settings);
  if (certificate === undefined) return [];
  const { validToDate: end } = certificate;
  registeredGauge(registry, 'mintrail_certificate_end_timestamp_seconds').set(end.getTime() / 1000);
  const { certificateDays: days } = settings.warnAt;
  if (days === 0 || end.getTime() > Date.now() + days * 86_400_000) return [];
  const subject = settings.tlsCertificate ?? new URL(settings.baseUrl ?? '').host;
  const ends = `${end.getTime() < Date.now() ? 'ended' : 'ends'} on ${end.toISOString().slice(0, 10)}`;
  const text = `the TLS certificate of ${subject} ${ends}: renew it, and see why that has not happened by itself. Without it no partner and no wallet connects`;
  return [{ kind: 'certificate_expiring', subject, text }];
}

async function readCertificate({ tlsCertificate, baseUrl }: Settings): Promise<X509Certificate | undefined> {
  if (tlsCertificate !== undefined) {
    try {
      return new X509Certificate(await readFile(tlsCertificate));
    } catch (cause) {
      throw new Error(`${settingVariable('tlsCertificate')} cannot be read`, { cause });
    }
  }
  const url = baseUrl === undefined ? undefined : new URL(baseUrl);
  return url?.protocol === 'https:' ? shownCertificate(url) : undefined;
}

/** The certificate that a server shows. Whether it is trusted does not matter here. */
function shownCertificate({ hostname, port }: URL): Promise<X509Certificate | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.setTimeout(connectMs, () => socket.destroy(new Error(`${hostname} does not answer`)));
    socket.once('error', reject);
  });
}
