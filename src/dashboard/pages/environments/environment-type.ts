// The purpose of an environment, as the page words it.
export const environmentTypes = { DEV: 'Development', PROD: 'Production' } as const
