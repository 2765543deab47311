// An HTML email in a frame without scripts, forms or links that open. Pictures of other hosts are not loaded.
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
  // The sandbox opens no tab, so that a click does nothing. Otherwise it would replace the email by an error page.
  for (const link of email.querySelectorAll('a, area')) link.setAttribute('target', '_blank')
  // The parser drops the doctype from the element. Without it, the browser would show the email in quirks mode.
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
        // Emails are made for a white page.
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
