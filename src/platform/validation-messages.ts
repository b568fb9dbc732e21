import { z } from 'zod';

// Every schema of a process words its issues like this; a message that a schema gives itself comes first.
z.config({ customError: validationMessage });

/** What a value must be, to follow the name of its field: `must be at least 1`. */
function validationMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : oneOf(issue.values);
    case 'invalid_union':
      return oneOf(Array.isArray(issue.options) ? issue.options : []);
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`;
    default:
      return 'is not valid';
  }
}

function withArticle(type: string): string {
  const name = type === 'int' ? 'integer' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function oneOf(values: readonly unknown[]): string {
  if (values.length === 0) return 'is not valid';
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.join(', ')}`;
}

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters long' : '';
}
