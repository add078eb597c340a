import type { DefaultTheme } from 'vitepress'
import { referenceNames } from './pages.ts'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link: `/${link}` })
const packageOf = (name: string) => page(name, `packages/${name}`)

export const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Begin',
    items: [
      page('Start in a minute', 'start'),
      page('Choose an executor', 'choosing'),
      page('When not to use it', 'alternatives'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Streaming and cancelling', 'streaming'),
      page('Approval', 'approval'),
      page('Environments and packages', 'environments'),
      page('Agents', 'agents'),
      page('Sandboxes', 'sandboxes'),
      page('Tools for programs', 'host-tools'),
      page('A network by list', 'network'),
      page('The page and MCP', 'web-and-mcp'),
      page('Kubernetes', 'kubernetes'),
      page('Executors as data', 'configurations'),
    ],
  },
  {
    text: 'From AutoGen and AG2',
    items: [
      page('From AutoGen 0.2', 'from-autogen-0.2'),
      page('From AutoGen 0.4', 'from-autogen-0.4'),
      page('From AG2', 'from-ag2'),
      page('What is different', 'differences'),
    ],
  },
  {
    text: 'Extend',
    items: [
      page('Write an executor', 'writing-an-executor'),
      page('Write a sandbox: ssh', 'examples/ssh-backend'),
      page('Write a sandbox: an SDK', 'examples/text-backend'),
      page('Write a sandbox: namespaces', 'examples/namespace-backend'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Errors and notices', 'errors'),
      page('Threat model', 'threat-model'),
      page('Performance', 'performance'),
      page('JavaScript starts', 'javascript-starts'),
      page('Installed size', 'installed-size'),
      page('Architecture', 'architecture'),
      page('Releases', 'releases'),
    ],
  },
  {
    text: 'Packages',
    collapsed: true,
    items: [
      'core',
      'contract',
      'executor-local',
      'executor-docker',
      'executor-kubernetes',
      'executor-jupyter',
      'python-env',
      'agents',
      'ai-sdk',
      'cli',
      'web',
      'sandbox',
      'sandbox-local',
      'sandbox-docker',
      'host',
      'opentelemetry',
    ].map(packageOf),
  },
  {
    text: 'API',
    collapsed: true,
    items: referenceNames().map((name) => page(name, `reference/${name}`)),
  },
  {
    text: 'Examples',
    collapsed: true,
    items: ['ai-sdk', 'agents', 'sql-executor'].map((name) => page(name, `examples/${name}`)),
  },
  {
    text: 'Contributing',
    collapsed: true,
    items: [page('Commands and layout', 'contributing'), page('How we write', 'style')],
  },
]
