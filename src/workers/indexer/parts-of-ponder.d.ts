// Parts of Ponder that its package keeps to itself: see ponder-modules.ts.

interface CommandOptions {
  command: 'start' | 'serve';
  config: string;
  logFormat: 'json';
  root: string | undefined;
  schema: string | undefined;
  viewsSchema?: string | undefined;
  port: number;
  hostname: string | undefined;
}

declare module 'ponder/start' {
  export function start(asked: { cliOptions: CommandOptions }): Promise<unknown>;
}

declare module 'ponder/serve' {
  export function serve(asked: { cliOptions: CommandOptions }): Promise<unknown>;
}

declare module 'ponder/graphql' {
  export { graphql } from 'ponder';
}
