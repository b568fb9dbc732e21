/** Milliseconds between two signs of life of a worker; readers wait for several before they call it gone. */
export const heartbeatInterval = 2_000;
