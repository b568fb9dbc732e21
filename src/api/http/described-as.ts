import { z } from '@hono/zod-openapi';

/**
 * A schema that reads as `read`, and that the document describes by `described`: it lists what is ignored, which no error may be about. It has to accept
 * what `read` makes.
 */
export function describedAs<Read extends z.ZodType>(read: Read, described: z.ZodType): Read {
  const parse = (value: unknown, context: z.RefinementCtx): unknown => {
    const { success, data, error } = read.safeParse(value);
    for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
    return success ? data : z.NEVER;
  };
  return z.preprocess(parse, described) as z.ZodType as Read;
}
