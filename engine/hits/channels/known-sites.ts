export type SiteKind = 'search' | 'social' | 'mail' | 'assistant';

/** The hosts and names of the sites of one kind. */
interface KnownSites {
  /** Each host includes its subdomains. `name.*` is the host with any ending, like `de` or `co.uk`. */
  hosts: string;
  /** The names of these sites in `utm_source`. */
  names: string;
}

/** If several kinds match a host, the longest match decides. Identifiers of Android apps count as hosts. */
const SITES: Record<SiteKind, KnownSites> = {
  search: {
    hosts: `
      google.* images.google.* news.google.* scholar.google.* lens.google.com
      com.google.android.googlequicksearchbox com.google.android.apps.searchlite syndicatedsearch.goog
      bing.com com.microsoft.bing duckduckgo.com com.duckduckgo.mobile.android search.brave.com ecosia.org
      qwant.com startpage.com kagi.com swisscows.com metager.org metager.de mojeek.com presearch.com presearch.org
      search.marginalia.nu lilo.org gibiru.com yep.com stract.com leta.mullvad.net yahoo.* search.yahoo.com
      search.yahoo.co.jp aol.com search.aol.com ask.com dogpile.com webcrawler.com info.com excite.com lycos.com
      petalsearch.com yandex.* ya.ru go.mail.ru nova.rambler.ru baidu.com sogou.com so.com sm.cn
      toutiao.com search.naver.com search.daum.net search.seznam.cz coccoc.com suche.web.de suche.gmx.net
      suche.t-online.de search.virgilio.it ricerca.virgilio.it arianna.libero.it search.sapo.pt szukaj.onet.pl
      search.avg.com search.avira.com searx.be`,
    names:
      'google bing duckduckgo ddg brave ecosia qwant startpage kagi yahoo yandex baidu naver seznam sogou ask adwords googleads google_ads google-ads bingads bing_ads microsoft_ads',
  },
  social: {
    hosts: `
      facebook.com fb.com fb.me messenger.com com.facebook.katana com.facebook.orca com.facebook.lite instagram.com
      com.instagram.android threads.net threads.com t.co twitter.com x.com com.twitter.android linkedin.com lnkd.in
      com.linkedin.android reddit.com redd.it com.reddit.frontpage pinterest.* pin.it com.pinterest tiktok.com
      com.zhiliaoapp.musically youtube.com youtu.be com.google.android.youtube vimeo.com dailymotion.com twitch.tv
      snapchat.com com.snapchat.android tumblr.com bsky.app mastodon.social mastodon.online mastodon.world
      mstdn.social fosstodon.org hachyderm.io infosec.exchange troet.cafe chaos.social news.ycombinator.com
      lobste.rs lemmy.world lemmy.ml hackernews.com tildes.net quora.com producthunt.com slashdot.org digg.com
      flipboard.com flickr.com deviantart.com goodreads.com meetup.com nextdoor.com xing.com viadeo.com
      viadeo.journaldunet.com vk.com vk.ru vkontakte.ru ok.ru away.vk.com weibo.com weibo.cn douban.com zhihu.com
      bilibili.com xiaohongshu.com qzone.qq.com tieba.baidu.com weixin.qq.com story.kakao.com line.me telegram.org
      t.me org.telegram.messenger whatsapp.com wa.me com.whatsapp discord.com discord.gg com.discord truthsocial.com
      gab.com parler.com myspace.com disqus.com livejournal.com`,
    names:
      'facebook fb facebook_ads facebookads meta meta_ads instagram ig threads twitter x linkedin reddit pinterest tiktok youtube vimeo twitch snapchat tumblr bluesky bsky mastodon hackernews hacker_news quora producthunt xing vk weibo wechat line telegram whatsapp discord',
  },
  mail: {
    hosts: `
      mail.google.com inbox.google.com com.google.android.gm outlook.live.com outlook.office.com outlook.office365.com
      outlook.com mail.live.com hotmail.com com.microsoft.office.outlook mail.yahoo.* mail.yahoo.co.jp
      com.yahoo.mobile.client.android.mail mail.aol.com mail.proton.me protonmail.com ch.protonmail.android
      tutanota.com app.tuta.com mail.zoho.com mail.zoho.eu fastmail.com hey.com mail.superhuman.com mail.com
      deref-mail.com navigator.web.de 3c.web.de deref-web.de navigator.gmx.net 3c.gmx.net deref-gmx.net
      email.t-online.de mailbox.org app.mailbox.org posteo.de mail.orange.fr messagerie.orange.fr zimbra.free.fr
      mail.libero.it poczta.onet.pl poczta.wp.pl poczta.o2.pl email.seznam.cz e.mail.ru mail.yandex.* mail.qq.com
      mail.163.com mail.126.com mail.naver.com mail.daum.net webmail.freenet.de mail.rediff.com`,
    names:
      'email e-mail mail newsletter newsletters gmail outlook mailchimp klaviyo brevo sendinblue sendgrid mailjet mailerlite convertkit campaignmonitor campaign_monitor activecampaign hubspot_email cleverreach rapidmail substack beehiiv buttondown',
  },
  assistant: {
    hosts: `
      chatgpt.com chat.openai.com com.openai.chatgpt perplexity.ai ai.perplexity.app.android claude.ai
      com.anthropic.claude gemini.google.com bard.google.com notebooklm.google.com com.google.android.apps.bard
      copilot.microsoft.com copilot.cloud.microsoft com.microsoft.copilot edgeservices.bing.com chat.deepseek.com
      deepseek.com com.deepseek.chat chat.mistral.ai meta.ai grok.com chat.qwen.ai qwen.ai kimi.com kimi.moonshot.cn
      doubao.com yuanbao.tencent.com chatglm.cn chat.z.ai poe.com you.com phind.com pi.ai character.ai duck.ai
      iask.ai felo.ai genspark.ai manus.im andisearch.com lumo.proton.me`,
    names:
      'chatgpt openai perplexity claude anthropic gemini bard copilot deepseek mistral lechat le_chat grok qwen kimi doubao poe phind',
  },
};

/** No host in the list has more labels. */
const MAX_LABELS = 5;
const ANY_ENDING = '.*';
/** Like `com`, `de`, `co.uk` or `com.br`. */
const ENDING = /^(?:[a-z]{2,3}|com?\.[a-z]{2})$/;

const hosts = new Map<string, SiteKind>();
const names = new Map<string, SiteKind>();
for (const kind of Object.keys(SITES) as SiteKind[]) {
  for (const host of wordsOf(SITES[kind].hosts)) hosts.set(host, kind);
  for (const name of wordsOf(SITES[kind].names)) names.set(name, kind);
}

/** The kind of site of a host. Undefined if it is unknown. */
export function kindOfHost(sent: string): SiteKind | undefined {
  const labels = sent
    .toLowerCase()
    .replace(/^www\./, '')
    .split('.');
  for (let first = Math.max(0, labels.length - MAX_LABELS); first < labels.length; first++) {
    const kind = hosts.get(labels.slice(first).join('.'));
    if (kind) return kind;
  }
  if (labels.length > MAX_LABELS) return undefined;
  for (let ending = 1; ending < labels.length; ending++) {
    const kind = hosts.get(labels.slice(0, ending).join('.') + ANY_ENDING);
    if (kind && ENDING.test(labels.slice(ending).join('.'))) return kind;
  }
  return undefined;
}

/** The kind of site of a campaign's source, which is a host or a name. */
export function kindOfSource(sent: string): SiteKind | undefined {
  return names.get(sent.trim().toLowerCase()) ?? kindOfHost(sent.trim());
}

function wordsOf(list: string): string[] {
  return list.trim().split(/\s+/);
}
