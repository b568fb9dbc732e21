import { z } from 'zod';

/** A setting with its variable and its meaning, from which docs/settings.md and .env.example are made. */
export function variable<Schema extends z.ZodType>(name: string, meaning: string, schema: Schema): Schema {
  return schema.meta({ variable: name, description: meaning });
}

/** The variable of a setting; of a network's, without the network. */
export function variableOf(schema: z.ZodType): string {
  return schema.meta()?.['variable'] as string;
}
