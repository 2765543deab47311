// How many messages a process sends at the same time, unless MESSAGE_CONCURRENCY is set.

export const MESSAGE_CONCURRENCY = 40
