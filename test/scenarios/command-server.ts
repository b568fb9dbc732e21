import { chownSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { runIn, startRunner } from '../support/processes/mintrail.ts';

/** Runs the commands of a terminal in one process, which loads the program once: that takes longer than most of them. */
export interface CommandServer {
  /** For a shell, in the place of the program that has the arguments `"$@"`: writes what the program writes, and fails when it fails. */
  shellCommands: string;
  close(): Promise<void>;
}

/** Starts it in a clone of the project, as this user, with this environment and the settings of the file `.env`. `socket` is the path at which it listens. */
export async function startCommandServer(
  socket: string,
  { clone, user, env }: { clone: string; user: { uid: number; gid: number } | undefined; env: Record<string, string | undefined> },
): Promise<CommandServer> {
  const runner = startRunner({ clone, ...user });
  const errors = `${socket}.stderr`;
  const server = createServer((request, response) => {
    void (async () => {
      const args = (await buffer(request)).toString().split('\0').slice(0, -1);
      const { code, stdout, stderr } = await runIn(runner, ['--settings', '.env', ...args], env);
      writeFileSync(errors, stderr);
      response.writeHead(code === 0 ? 200 : 500).end(stdout);
    })();
  });
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  if (user) chownSync(socket, user.uid, user.gid);
  const send = `curl --silent --fail-with-body --unix-socket ${socket} --data-binary @- http://mintrail`;
  return {
    shellCommands: `printf '%s\\0' "$@" | ${send}; local code=$?; cat ${errors} >&2; return $code`,
    async close() {
      runner.disconnect();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
