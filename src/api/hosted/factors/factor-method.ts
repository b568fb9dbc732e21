/** How a user proves who they are besides the password: by a passkey, a code of their app, or a recovery code. */
export type FactorMethod = 'passkey' | 'code' | 'recovery-code';

const methods: readonly string[] = ['passkey', 'code', 'recovery-code'] satisfies FactorMethod[];

/** The method that a submitted form names; `undefined` for any other. */
export function readFactorMethod(form: URLSearchParams): FactorMethod | undefined {
  const method = form.get('method') ?? '';
  return methods.includes(method) ? (method as FactorMethod) : undefined;
}
