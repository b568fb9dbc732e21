import type { z } from '@hono/zod-openapi';

type Issue = z.core.$ZodIssue;

/** One text per wrong field, the first of each; `body` stands for the value as a whole. */
export function issueTexts(issues: readonly Issue[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const issue of issues) fields[issue.path.join('.') || 'body'] ??= issueText(issue);
  return fields;
}

/** zod's default messages begin so; any other text was written in a schema, for this purpose. */
const defaultMessage = /^(Invalid (?!secret:)|Too |Unrecognized)/;

function issueText(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'is required';
  if (!defaultMessage.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return issue.values.length === 1 ? `must be ${String(issue.values[0])}` : `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `must be ${issue.origin === 'string' ? `at least ${issue.minimum} characters long` : `at least ${issue.minimum}`}`;
    case 'too_big':
      return `must be ${issue.origin === 'string' ? `at most ${issue.maximum} characters long` : `at most ${issue.maximum}`}`;
    case 'invalid_union':
      return unionText(issue.message);
    default:
      return 'is not valid';
  }
}

function withArticle(type: string): string {
  const name = type === 'int' ? 'integer' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** zod names the values of a discriminator in its message only: `Invalid discriminator value. Expected 'a' | 'b'`. */
function unionText(message: string): string {
  const values = [...message.matchAll(/'([^']+)'/g)].map(([, value]) => value);
  return values.length === 0 ? 'is not valid' : `must be one of ${values.join(', ')}`;
}
