import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { prepareInbox } from '../../../src/workers/inbox/files.ts';

const inboxFolder = () => mkdtempSync(path.join(tmpdir(), 'mintrail-inbox-'));

it('makes the folders for what is done and what failed, and leaves those that are there', async () => {
  const folder = inboxFolder();
  mkdirSync(path.join(folder, 'done'));
  await prepareInbox(folder);
  await prepareInbox(folder);
  expect(readdirSync(folder).sort()).toEqual(['done', 'failed']);
  rmSync(folder, { recursive: true });
});

it('refuses a file where a folder belongs', async () => {
  const folder = inboxFolder();
  writeFileSync(path.join(folder, 'failed'), '', { mode: 0o777 });
  await expect(prepareInbox(folder)).rejects.toMatchObject({ code: 'ENOTDIR' });
  rmSync(folder, { recursive: true });
});

it('does not make a folder again that goes while it is looked at', async () => {
  for (let round = 0; round < 200; round += 1) {
    const folder = inboxFolder();
    await prepareInbox(folder);
    const looking = prepareInbox(folder).catch(() => {});
    // Some looks are further than others.
    for (let turns = round % 8; turns > 0; turns -= 1) await new Promise(setImmediate);
    // At once, as a mount goes; `rm` itself fails when a folder is made meanwhile.
    renameSync(folder, `${folder}.gone`);
    await looking;
    expect(existsSync(folder)).toBe(false);
    rmSync(`${folder}.gone`, { recursive: true });
  }
});
