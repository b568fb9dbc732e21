import type { Commands } from '../src/cli/program.ts';

/** The commands of a checkout, which the service does not have. */
export const sandboxCommands = {
  sandbox: async () => (await import('./command.ts')).addSandboxCommand,
  demo: async () => (await import('./demo/command.ts')).addDemoCommand,
} satisfies Commands;
