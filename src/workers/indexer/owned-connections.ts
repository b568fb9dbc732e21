// Loaded into Ponder's process before Ponder (`--import`). Ponder takes a lock and never looks at it again: frozen or cut off for a while, it goes on writing
// beside the one that has taken its place. So each of its connections is opened only while its run owns the index, and has a name by which it is ended.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { callbackify } from 'node:util';

/** By Mintrail's database, as whoever starts Ponder says. */
interface OwnedIndex {
  connectionName: string;
  /** A query that has a row while the run is the owner. */
  query: string;
}

type Connect = (this: Client, callback?: (error: Error | null, client: Client) => void) => Promise<Client> | undefined;
interface Client {
  connectionParameters: { application_name?: string };
  query: (text: string) => Promise<{ rowCount: number | null }>;
}

const text = process.env.OWNED_INDEX;
if (text !== undefined) {
  const { connectionName, query } = JSON.parse(text) as OwnedIndex;
  const { Client } = createRequire(fileURLToPath(import.meta.resolve('ponder')))('pg') as { Client: { prototype: { connect: Connect } } };
  const { connect } = Client.prototype;
  const connectAsOwner = async (client: Client): Promise<Client> => {
    client.connectionParameters.application_name = connectionName;
    await connect.call(client);
    const { rowCount } = await client.query(query);
    // 75: not for ever. Whoever started it waits until it is the owner again.
    if (rowCount === 0) process.exit(75);
    return client;
  };
  Client.prototype.connect = function (this: Client, callback) {
    const connected = connectAsOwner(this);
    if (callback === undefined) return connected;
    callbackify(() => connected)(callback);
    return undefined;
  };
}
