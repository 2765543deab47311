// The script of a page that shows the published browser inbox, unmodified. It runs in a browser, and finds its options as
// JSON in the page.
import { NovuUI } from '@novu/js/ui'

const element = document.querySelector('#inbox')
const options = document.querySelector('#options')?.textContent
if (!element || !options) throw new Error('the page has no inbox')

new NovuUI({ options: JSON.parse(options) }).mountComponent({ name: 'Inbox', element, props: { open: true } })
