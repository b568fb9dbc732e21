import type { Command } from 'commander';

/** `mintrail trace`. */
export function addTraceCommand(program: Command): void {
  program
    .command('trace')
    .description("follow an order's money on one page: bank, book, order, transactions, logs, payments, bank")
    .argument(
      '<what>',
      "id of an order, a leg, a payment or a profile, hash of a transaction, the bank's reference of a credit, an EndToEndId, an IBAN, an address, an amount, a memo or a profile's name",
    )
    .option('--json', 'print JSON')
    .action(async (what: string, { json = false }: { json?: boolean }) => (await import('./trace.ts')).trace(what, json));
}
