// The purpose of an environment, in the words of the page.
export const environmentTypes = { DEV: 'Development', PROD: 'Production' } as const
