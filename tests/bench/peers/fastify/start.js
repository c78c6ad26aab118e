// `node start.js PORT WORKERS`: the application in this process, or in as many as asked for, by Node's own cluster.

import cluster from "node:cluster";

const workers = Number(process.argv[3]);
if (workers === 1 || cluster.isWorker) await import("./server.js");
else for (let each = 0; each < workers; each++) cluster.fork();
