"""What faults say, in the reader's language; formats only write it down.

The sentence is in English wherever programs may read it. Pages speak the reader's language.
"""

from attrs import frozen

from agents.consultation.faults.fault import Fault

URL_LENGTH_LIMIT = 2000  # characters of a URL that a fault content shows

_PAGE = {
    "en": {
        "who": "web archive",
        "url": "URL",
        "date": "your date",
        "newest": "the newest",
        "fault": "fault",
        "captures": "Captures of this URL",
        "harbor": "Choose another date, or see what the archive holds",
        "nearby": "The archive may hold what is near it:",
    },
    "fr": {
        "who": "archive du Web",
        "url": "URL",
        "date": "votre date",
        "newest": "la plus récente",
        "fault": "défaut",
        "captures": "Captures de cette URL",
        "harbor": "Choisir une autre date, ou voir ce que contient l’archive",
        "nearby": "L’archive contient peut-être une page voisine :",
    },
}
_FRENCH = {
    "unknown-url": (
        "Absent de l’archive",
        "L’archive ne contient aucune capture de cette URL, à aucune date.",
    ),
    "missing-captures": (
        "Les captures manquent",
        "L’archive connaît cette URL, mais aucun nœud de stockage n’en donne les captures. C’est "
        "un défaut de l’archive elle-même ; ses opérateurs devraient en être avertis.",
    ),
    "missing-content": (
        "Le contenu manque",
        "L’archive connaît cette URL, mais aucun nœud de stockage ne donne le contenu qu’elle "
        "avait alors. C’est un défaut de l’archive elle-même ; ses opérateurs devraient en être "
        "avertis.",
    ),
    "embargo": (
        "Communication différée",
        "L’archive détient cette URL et ne la montre pas encore : {reason}",
    ),
    "takedown": (
        "Retiré de la consultation",
        "L’archive détient cette URL et ne la montre pas : {reason}",
    ),
    "archive-unreachable": (
        "L’archive ne répond pas",
        "Elle ne peut dire maintenant ce qu’elle contient de cette URL. Réessayez dans un instant.",
    ),
    "live-unreachable": (
        "Le Web vivant ne répond pas",
        "Le serveur de cette URL n’a pas donné de réponse.",
    ),
    "live-slow": (
        "Le Web vivant ne répond pas à temps",
        "Le serveur de cette URL n’a pas répondu dans le délai permis.",
    ),
    "live-forbidden": (
        "Pas sur le Web vivant",
        "Cette adresse n’est pas de l’Internet public, et l’archive n’y va pas.",
    ),
    "live-too-large": (
        "Trop à envoyer",
        "Ce qui est envoyé au Web vivant en une requête dépasse ce que l’archive transmet.",
    ),
    "live-too-long": (
        "Trop grand pour être transmis",
        "La réponse du serveur dépasse ce que l’archive transmet. Son exploitant peut permettre "
        "davantage : live_size.",
    ),
    "live-busy": (
        "Trop de lecteurs sur le Web vivant",
        "Autant de requêtes que permis attendent déjà une réponse. Réessayez dans un instant.",
    ),
    "read-only": (
        "L’archive est en lecture seule",
        "On ne peut rien lui envoyer, et rien de ce qu’on lui demande n’atteint le Web vivant.",
    ),
    "unknown-harbor": (
        "Ce port n’existe pas",
        "Le port de l’archive est http://dlweb/, d’où l’on atteint toutes ses pages.",
    ),
}
LANGUAGES = tuple(_PAGE)


@frozen
class PageWords:
    """What an HTML fault says.

    Attributes:
        language: that it is in.
        title: a few words.
        message: one or two sentences.
        labels: of the page's parts.
    """

    language: str
    title: str
    message: str
    labels: dict[str, str]


def page_words(fault: Fault, language: str = "en") -> PageWords:
    """Return what a page says of a fault; all in English where it has not been translated."""
    title, message = fault.title, fault.message
    translated = language == "fr" and fault.code in _FRENCH
    if translated:
        title, message = _FRENCH[fault.code]
        message = message.format(reason=fault.reason)
    spoken = "fr" if translated else "en"
    return PageWords(spoken, title, message, _PAGE[spoken])


def sentence(fault: Fault) -> str:
    """Return what is missing, on one line."""
    url = shown_url(fault)
    text = f"dlweb: {fault.title}. {fault.message}" + (f" [{url}]" if url else "")
    return " ".join(text.split())


def shown_url(fault: Fault) -> str:
    """Return the URL as far as it is shown, in characters that can be encoded."""
    return fault.url[:URL_LENGTH_LIMIT].encode("utf-8", "replace").decode()
