import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A service of docker-compose.yml, with anchors and merges resolved and variables as they stand there. */
export interface ComposeService {
  image: string;
  command: string[];
  /** `null` is passed on from the environment of compose. */
  environment?: Record<string, string | null>;
  profiles?: string[];
  secrets?: string[];
  volumes?: string[];
  stop_signal?: string;
  read_only?: boolean;
  ports?: string[];
  mem_limit?: string;
  logging?: { options: Record<string, string> };
  healthcheck?: { test?: string[]; disable?: boolean };
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, null>;
  secrets: Record<string, { file: string }>;
}

/** docker-compose.yml of this repository. */
export function readComposeFile(): ComposeFile {
  const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  // The limit is there against files of strangers.
  return parse(text, { merge: true, maxAliasCount: -1 }) as ComposeFile;
}

/** The variables that a container gets where `.env` has these: a variable without a value is passed on if it is set, as the specification of compose says. */
export function environmentOf({ environment = {} }: ComposeService, env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      const text = value === null ? env[name] : interpolate(value, env);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Replaces `${NAME:-default}`, the innermost first: a default may contain variables, as the specification of compose says. */
function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  const next = text.replaceAll(/\$\{(\w+):-([^${}]*)\}/g, (_, name: string, standard: string) => env[name] || standard);
  return next === text ? text : interpolate(next, env);
}
