import { Hono } from 'hono';

// Ponder demands an API; Mintrail reads the tables in PostgreSQL instead.
export default new Hono();
