/** Address of the API, and the id of the application that `mintrail app create` registered for this page. */
export const api = import.meta.env.VITE_API ?? 'http://localhost:3000';
export const clientId = import.meta.env.VITE_CLIENT_ID;

/** The network on which the wallet signs. */
export const chain = import.meta.env.VITE_CHAIN ?? 'chiado';
