// Loaded into Ponder's process before Ponder, which has the delay of its event loop sampled every millisecond, for a metric that nobody reads here: a thousand
// wake-ups a second, most of what it does while its chain is quiet. It has no setting for that.
import performanceHooks from 'node:perf_hooks';
/** Milliseconds between two samples. */
const resolution = 100;

const { monitorEventLoopDelay } = performanceHooks;
performanceHooks.monitorEventLoopDelay = () => monitorEventLoopDelay({ resolution });
