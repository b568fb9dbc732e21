import { z } from 'zod';

/** Who sets a setting: every deployment, most, few for a reason of their own, or only sandboxes, forks and tests. */
export type SettingGroup = 'needed' | 'usual' | 'rare' | 'sandbox';

/** A setting with its variable and its meaning, from which docs/settings.md and .env.example are made. */
export function variable<Schema extends z.ZodType>(name: string, meaning: string, schema: Schema, group: SettingGroup = 'rare'): Schema {
  return schema.meta({ variable: name, description: meaning, group });
}

/** The variable of a setting; of a network's, without the network. */
export function variableOf(schema: z.ZodType): string {
  return schema.meta()?.['variable'] as string;
}
