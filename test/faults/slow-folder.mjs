// Loaded into a process (`--import`): every access to the folder of the bank takes the milliseconds in the file that SLOW_FOLDER_FILE names, as on a network drive.
import { readFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

for (const name of ['access', 'open', 'rename', 'statfs', 'unlink']) {
  const original = files[name];
  files[name] = async (path, ...others) => {
    const folder = process.env.BANK_OUTBOX;
    if (folder && String(path).startsWith(folder)) await delay(Number(readFileSync(process.env.SLOW_FOLDER_FILE, 'utf8')));
    return original(path, ...others);
  };
}
syncBuiltinESMExports();
