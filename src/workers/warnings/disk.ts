import { stat, statfs } from 'node:fs/promises';
import { dataDirectory } from '../../ledger/growth/data-directory.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Settings, settingVariable } from '../../platform/settings.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';
import type { Warning, WarningDeps } from './warning.ts';

/** Warns of little free space on the disks of the data, of the bank's files, and of PostgreSQL's data where that is on this machine. */
export async function diskWarnings({ settings, ledger, registry }: WarningDeps): Promise<Warning[]> {
  const gauge = registeredGauge(registry, 'mintrail_disk_free_ratio');
  const warnings: Warning[] = [];
  const seen = new Set<number>();
  for (const { what, folder } of await foldersOf(settings, ledger)) {
    const disk = await lookAt(folder);
    if (disk === undefined) continue;
    gauge.set({ folder }, disk.free);
    // Folders of one disk run out together.
    if (seen.has(disk.device)) continue;
    seen.add(disk.device);
    if (disk.free * 100 >= settings.warnAt.diskPercent) continue;
    const text = `${(disk.free * 100).toFixed(1)} % of the disk of ${what} (${folder}) are free: make room, or enlarge it. A full disk stops the database, the indexers and the files of the bank`;
    warnings.push({ kind: 'disk_low', subject: folder, text });
  }
  return warnings;
}

async function foldersOf(settings: Settings, ledger: Ledger): Promise<{ what: string; folder: string }[]> {
  const { dataDir, bankInbox, bankOutbox } = settings;
  const database = await databaseFolder(settings, ledger);
  return [
    { what: settingVariable('dataDir'), folder: dataDir },
    ...(bankInbox === undefined ? [] : [{ what: settingVariable('bankInbox'), folder: bankInbox }]),
    ...(bankOutbox === undefined ? [] : [{ what: settingVariable('bankOutbox'), folder: bankOutbox }]),
    ...(database === undefined ? [] : [{ what: 'PostgreSQL', folder: database }]),
  ];
}

/** Where PostgreSQL keeps its data, if it runs on this machine and lets this role know. */
async function databaseFolder({ databaseUrl }: Settings, ledger: Ledger): Promise<string | undefined> {
  const host = URL.parse(databaseUrl)?.hostname ?? '';
  return ['', 'localhost', '127.0.0.1', '[::1]'].includes(host) ? dataDirectory(ledger) : undefined;
}

/** The free share of a folder's disk, and which disk that is; undefined where the folder is not on this machine or cannot be seen. */
async function lookAt(folder: string): Promise<{ free: number; device: number } | undefined> {
  try {
    const [{ dev }, { bavail, blocks }] = await Promise.all([stat(folder), statfs(folder)]);
    return { free: blocks === 0 ? 1 : bavail / blocks, device: dev };
  } catch {
    return undefined;
  }
}
