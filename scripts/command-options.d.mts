/**
 * Reads the options of a program of this project, `--name VALUE` each. Prints the usage and ends the process for `--help`, and with 2 for a command line
 * that is wrong. A module of JavaScript, because some of these programs begin under another Node.
 */
export function commandOptions<Name extends string>(usage: string, names: readonly Name[]): Partial<Record<Name, string>>;
