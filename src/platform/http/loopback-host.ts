const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)(:\d{1,5})?$/i;

/**
 * Whether a host, with or without a port, is a loopback name. A page whose own name resolves to 127.0.0.1 (DNS rebinding) has the same origin as what
 * listens there, so that its browser sends neither `Origin` nor a cross-site mark: only the `Host` of its requests tells it.
 */
export const isLoopbackHost = (host: string): boolean => loopbackHost.test(host);
