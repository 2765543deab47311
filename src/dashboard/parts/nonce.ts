// The nonce of the page's security policy, which styles that scripts insert must carry.

/** The nonce. Undefined in development, where there is no policy. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
