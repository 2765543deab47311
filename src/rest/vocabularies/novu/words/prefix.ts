// The path below which the vocabulary is served.
export const prefix = '/novu' as const
