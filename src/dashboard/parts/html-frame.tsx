// An HTML email in a frame without scripts, forms or working links. Pictures from other hosts are not loaded.
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { nonce } from './nonce.ts'

interface EmailDocument {
  readonly html: string
  readonly hasPictures: boolean
}

/** Returns the document of the frame. Its styles carry the nonce, because the frame inherits the policy of the page. */
function documentOf(html: string): EmailDocument {
  const email = new DOMParser().parseFromString(html, 'text/html')
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

export function HtmlFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const email = useMemo(() => documentOf(html), [html])
  return (
    <>
      <iframe
        sandbox=""
        srcDoc={email.html}
        title={title}
        tabIndex={0}
        // Emails are designed for a white background.
        style={{ width: '100%', height: 320, border: 0, background: '#fff', colorScheme: 'light' }}
      />
      {email.hasPictures && (
        <Text size="xs" c="dimmed">
          Images from other hosts are not loaded here.
        </Text>
      )}
    </>
  )
}
