// Loaded into a process (`--import`): workers and indexers of a sandbox are set up as those of a deployment. The sandbox itself sets these variables for them.
const { endpoints, ...others } = JSON.parse(process.env.DEPLOYED_SETTINGS);
if (['worker', 'indexer'].includes(process.argv[2])) {
  Object.assign(process.env, others);
  process.env.CHIADO_RPC_URLS = [...endpoints, process.env.CHIADO_RPC_URLS].join(',');
}
