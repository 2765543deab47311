// The nonce of the page's security policy. Styles that scripts insert must have it.

/** The nonce. Undefined in development, where there is no policy. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
