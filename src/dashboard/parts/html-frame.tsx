// An HTML email in a frame without scripts, forms or working links. Nothing is loaded from other hosts.
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { nonce } from './nonce.ts'

interface EmailDocument {
  readonly html: string
  readonly hasPictures: boolean
}

const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"

/** Returns the document of the frame. Its styles carry the nonce, because the frame inherits the policy of the page. */
function documentOf(html: string): EmailDocument {
  const email = new DOMParser().parseFromString(html, 'text/html')
  // Stricter than the policy of the page, which the frame inherits: not even this gateway is asked for anything.
  for (const refresh of email.querySelectorAll('meta[http-equiv], base, link')) refresh.remove()
  const policy = email.createElement('meta')
  policy.setAttribute('http-equiv', 'Content-Security-Policy')
  policy.setAttribute('content', POLICY)
  email.head.prepend(policy)
  for (const style of email.querySelectorAll('style')) style.setAttribute('nonce', nonce ?? '')
  // The sandbox does not allow new tabs, so that a click has no effect. Otherwise the link would replace the email with
  // an error page.
  for (const link of email.querySelectorAll('a, area')) link.setAttribute('target', '_blank')
  // Parsing drops the doctype. Without it, the browser would show the email in quirks mode.
  const doctype = email.doctype === null ? '' : '<!doctype html>'
  return {
    html: doctype + email.documentElement.outerHTML,
    hasPictures: email.querySelector('img[src^="http" i]') !== null,
  }
}

interface HtmlFrameProps {
  readonly html: string
  readonly title: string
  /** True to show it as a dark mail client does. Default: false. */
  readonly isDark?: boolean
}

export function HtmlFrame({ html, title, isDark = false }: HtmlFrameProps) {
  const email = useMemo(() => documentOf(html), [html])
  return (
    <>
      <iframe
        sandbox=""
        srcDoc={email.html}
        title={title}
        tabIndex={0}
        // Emails are designed for a white background. A dark client inverts those without a dark design of their own.
        style={{
          ...{ width: '100%', height: 320, border: 0, background: '#fff', colorScheme: 'light' },
          filter: isDark ? 'invert(1) hue-rotate(180deg)' : undefined,
        }}
      />
      {email.hasPictures && (
        <Text size="xs" c="dimmed">
          Images from other hosts are not loaded here.
        </Text>
      )}
    </>
  )
}
