/** What is likely to be in a user's password: the name of the service and their own. */
export interface PasswordContext {
  serviceName: string;
  email: string;
  name: string;
}

/** Characters that do not make a common password another one: a year and a sign, such as in `password2026!`. */
const paddingLength = 5;

/** Shorter words of the context, such as initials, are in too many good passwords. */
const shortestWord = 4;

/** The passwords that are used and guessed most often, some 49,000, in small letters. Loaded when the first password is chosen. */
let commonPasswords: Promise<ReadonlySet<string>> | undefined;

/**
 * Whether a password is among the first that anybody guesses (NIST SP 800-63B, section 3.1.1.2; OWASP ASVS 4, 2.1.7): in any case, it is a common one or a
 * word of its user's context, two of them, one with up to five other characters before or after it, or the repetition of a short part.
 */
export async function isGuessable(password: string, context: PasswordContext): Promise<boolean> {
  const text = password.normalize('NFKC').toLowerCase();
  commonPasswords ??= loadCommonPasswords();
  const common = await commonPasswords;
  const words = new Set(contextWords(context));
  const isKnown = (part: string) => common.has(part) || words.has(part);
  if (isKnown(text) || isRepetition(text)) return true;
  for (let at = 1; at < text.length; at++) {
    const [head, tail] = [text.slice(0, at), text.slice(at)];
    if (isKnown(head) && (tail.length <= paddingLength || isKnown(tail))) return true;
    if (head.length <= paddingLength && isKnown(tail)) return true;
  }
  return false;
}

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

function contextWords({ serviceName, email, name }: PasswordContext): string[] {
  const texts = [serviceName, email, email.split('@')[0] ?? '', name].map((text) => text.normalize('NFKC').toLowerCase());
  const joined = texts.map((text) => text.replaceAll(separators, ''));
  const parts = texts.flatMap((text) => text.split(separators));
  return [...texts, ...joined, ...parts].filter((part) => part.length >= shortestWord);
}

const separators = /[\s._@-]+/g;

/** Such as `abcabcabcabc`, and `aaaaaaaaaaaa`. */
function isRepetition(text: string): boolean {
  return [1, 2, 3, 4].some(
    (length) =>
      text ===
      text
        .slice(0, length)
        .repeat(Math.ceil(text.length / length))
        .slice(0, text.length),
  );
}
