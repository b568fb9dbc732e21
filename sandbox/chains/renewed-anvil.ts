import { type Anvil, type AnvilOptions, startAnvil } from './anvil.ts';
import type { Exit } from '../../src/platform/process/guarded-process.ts';

/** New blocks after which a chain is loaded anew: with those that it keeps they take a hundred megabytes. */
const usualBlocks = 3_000;

/**
 * Starts the chain of a folder as {@link startAnvil} does, and loads it anew without its old empty blocks whenever it rests after thousands of new ones, so that it
 * takes no more memory however long it runs. It answers nothing for a second then, and forgets the states behind past blocks, which accounts were impersonated, and
 * snapshots of `evm_snapshot`.
 */
export async function startRenewedAnvil(options: AnvilOptions, renewedAfter = usualBlocks): Promise<Anvil> {
  const ended = Promise.withResolvers<Exit>();
  let renewing: Promise<void> | undefined;
  let isClosing = false;

  const onRest = (blocks: number) => {
    if (blocks >= renewedAfter && !isClosing) renewing ??= renew().finally(() => (renewing = undefined));
  };
  const launch = async (): Promise<Anvil> => {
    const anvil = await startAnvil({ ...options, onRest });
    void anvil.exited.then((exit) => (renewing === undefined || anvil !== current ? ended.resolve(exit) : undefined));
    return anvil;
  };
  const renew = async () => {
    await current.close();
    const exit = await current.exited;
    if (isClosing) return ended.resolve(exit);
    try {
      const { url } = current;
      current = await launch();
      // Another program has taken its port.
      if (current.url !== url) await current.close();
    } catch {
      // Whoever supervises it starts it again, and hears why that fails.
      ended.resolve(exit);
    }
  };
  let current = await launch();
  return {
    url: current.url,
    exited: ended.promise,
    store: () => current.store(),
    async close() {
      isClosing = true;
      await renewing;
      await current.close();
    },
  };
}
