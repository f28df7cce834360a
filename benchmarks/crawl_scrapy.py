"""The Scrapy side of crawl.py: collect one host and store every body under its SHA-256."""

import sys
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

TAGS = ("a", "area", "link", "img", "script", "iframe", "frame", "source", "embed", "object")
ATTRIBUTES = ("href", "src", "data")


class SiteSpider(scrapy.Spider):
    """Follows every link of one host."""

    name = "site"

    def __init__(self, start: str, folder: str) -> None:
        super().__init__()
        self.start_urls = [start]
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        self.found: set[str] = set()
        self.links = LinkExtractor(
            tags=TAGS, attrs=ATTRIBUTES, deny_extensions=(), allow_domains=urlsplit(start).netloc
        )

    def parse(self, response):
        """Store an answer and follow its links."""
        if response.status == 200:
            self.found.add(response.url)
        (self.folder / sha256(response.body).hexdigest()).write_bytes(response.body)
        if isinstance(response, HtmlResponse):
            for link in self.links.extract_links(response):
                yield response.follow(link.url, self.parse)


def main() -> None:
    """Collect the URL of the command line into its folder, and print the URLs that answered."""
    process = CrawlerProcess({"LOG_LEVEL": "ERROR", "ROBOTSTXT_OBEY": False, "DOWNLOAD_DELAY": 0})
    crawler = process.create_crawler(SiteSpider)
    process.crawl(crawler, sys.argv[1], sys.argv[2])
    process.start()
    print("\n".join(sorted(crawler.spider.found)) if crawler.spider else "")


if __name__ == "__main__":
    main()
