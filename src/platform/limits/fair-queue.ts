/** A queue that goes round between owners. */
export interface FairQueue<Item> {
  add(owner: string, item: Item): void;
  /** Removes at most so many items, one of each owner in turn, and those of one owner in the order in which they were added. */
  take(most: number): Item[];
  size(): number;
  sizeOf(owner: string): number;
}

/** Creates a queue in which an item waits at most for one item of each other owner before it, and for those of its own owner. */
export function createFairQueue<Item>(): FairQueue<Item> {
  /** The items of each owner that has some. The owner whose turn was last is the last one. */
  const owners = new Map<string, Item[]>();
  let size = 0;

  return {
    add(owner, item) {
      const items = owners.get(owner);
      if (items === undefined) owners.set(owner, [item]);
      else items.push(item);
      size += 1;
    },
    take(most) {
      const taken: Item[] = [];
      // An owner that is moved to the end of the map is visited again.
      for (const [owner, items] of owners) {
        if (taken.length >= most) break;
        taken.push(...items.splice(0, 1));
        owners.delete(owner);
        if (items.length > 0) owners.set(owner, items);
      }
      size -= taken.length;
      return taken;
    },
    size: () => size,
    sizeOf: (owner) => owners.get(owner)?.length ?? 0,
  };
}
