/** An address in mixed case with a wrong checksum. */
export function misspelt(address: string): string {
  return `0x${address.slice(2).replaceAll(/[a-f]/gi, (digit) => (digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()))}`;
}
