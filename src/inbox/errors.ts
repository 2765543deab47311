// The errors of the inbox, and what the developer of the page can do about them.

/** The gateway answered with an error. */
export class GatewayError extends Error {
  /** The code of the graph, such as `FORBIDDEN`. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** The gateway rejected the sign-in because of a hash, the environment or the origin of the page. */
export class SignInError extends GatewayError {
  readonly rejected: 'hash' | 'environment' | 'origin'

  constructor(rejected: SignInError['rejected'], message: string) {
    super(message)
    this.rejected = rejected
  }
}

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** @throws if a mutation returned errors that its caller can correct. */
export function assertDone({ userErrors }: { readonly userErrors: readonly { readonly message: string }[] }): void {
  if (userErrors.length > 0) throw new Error(userErrors.map(({ message }) => message).join(' '))
}

const printed = new Set<string>()

/** Prints to the console what the developer of the page can do. The same advice is printed once for each page. */
export function advise(error: Error, gateway: string): void {
  const advice = adviceFor(error, gateway)
  if (advice === undefined || printed.has(advice)) return
  printed.add(advice)
  console.error(`<notification-inbox>: ${advice}`)
}

function adviceFor(error: Error, gateway: string): string | undefined {
  if (!(error instanceof SignInError)) {
    // Of all errors, only a request without a response is a TypeError.
    return error instanceof TypeError
      ? `The gateway ${gateway} cannot be reached. Check the attribute \`gateway\`, and \`connect-src\` of the Content-Security-Policy.`
      : undefined
  }
  switch (error.rejected) {
    case 'hash':
      return `${error.message}. Create the hashes in your back end, as the documentation of browser sessions describes.`
    case 'environment':
      return `${error.message}. The attribute \`environment\` must be the public identifier of an environment of ${gateway}.`
    case 'origin':
      return `The gateway ${gateway} does not allow the origin ${location.origin}. Add it to CORS_ORIGINS of the gateway.`
  }
}
