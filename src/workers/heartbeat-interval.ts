/** Between two signs of life of a worker; readers wait for several before they call it gone. */
export const heartbeatIntervalMs = 2_000;
