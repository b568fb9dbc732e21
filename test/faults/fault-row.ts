import type { Program } from './installed.ts';
import type { FaultWorld } from './world.ts';

/** A dependency that is there and does not answer, or not as it should, and who names that. */
export interface FaultRow {
  /** As in the table of docs/faults.md. */
  name: string;
  begin: (world: FaultWorld) => Promise<void>;
  end: (world: FaultWorld) => Promise<void>;
  /** What names it from outside of the service; undefined while nothing does. */
  named: (world: FaultWorld) => Promise<string | undefined>;
  /** What else is begun while it lasts, and has to succeed in the end. `order` is what comes of the payment that is reported meanwhile. */
  work?: (world: FaultWorld, order: Promise<string>) => Promise<void>;
  /** Whether the sandbox is set up as a deployment: with a Sentinel, three endpoints, a signing service and a folder of the bank. */
  isDeployed?: boolean;
  /** What must be installed. */
  needs?: Program;
  /** Whether it may be over before anything names it: it ends by itself, or is no problem of the service. */
  mayStayUnnamed?: boolean;
}

export const byStatus: FaultRow['named'] = (world) => world.problem();

/** Its clients hear nothing, and neither does whoever asks for its readiness. */
export const byReadiness: FaultRow['named'] = (world) => world.unready();
