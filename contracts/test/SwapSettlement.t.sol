// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {BlockableERC20} from "../src/BlockableERC20.sol";
import {SwapSettlement} from "../src/SwapSettlement.sol";
import {CallingBackToken, FalseToken, SilentToken} from "./support/SwapTokens.sol";
import {SwapTest} from "./support/SwapTest.sol";
import {ApprovingWallet, RevertingWallet} from "./support/Wallets.sol";

contract SwapSettlementTest is SwapTest {
    function assertBalances(uint256 takerEur, uint256 takerUsd, uint256 makerEur, uint256 makerUsd) private view {
        vm.assertEq(eur.balanceOf(alice), takerEur, "euros of the taker");
        vm.assertEq(usd.balanceOf(alice), takerUsd, "dollars of the taker");
        vm.assertEq(eur.balanceOf(maker), makerEur, "euros of the maker");
        vm.assertEq(usd.balanceOf(maker), makerUsd, "dollars of the maker");
        vm.assertEq(eur.balanceOf(address(settlement)) + usd.balanceOf(address(settlement)), 0, "the contract holds tokens");
    }

    function assertNothingMoved() private view {
        assertBalances(1_000e18, 0, 0, 1_000e18);
        vm.assertFalse(settlement.nonceUsed(7), "the nonce was used");
    }

    /// @dev With the signature of the unaltered quote.
    function expectInvalid(SwapSettlement.Quote memory altered) private {
        bytes memory signature = signQuote(aQuote());
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(altered, signature);
    }

    function test_aQuoteMovesExactlyItsAmounts() public {
        SwapSettlement.Quote memory quote = aQuote();
        bytes memory signature = signQuote(quote);
        vm.expectEmit(true, true, true, true, address(settlement));
        emit SwapSettlement.Swap(quote.quoteId);
        swap(quote, signature);
        assertBalances(900e18, 110e18, 100e18, 890e18);
        vm.assertTrue(settlement.nonceUsed(7));
        vm.assertFalse(settlement.nonceUsed(6));
        vm.assertFalse(settlement.nonceUsed(8));
    }

    function test_theDomainIsThatOfTheDocumentation() public view {
        bytes32 domain = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        vm.assertEq(
            settlement.DOMAIN_SEPARATOR(),
            keccak256(abi.encode(domain, keccak256("Mintrail Swap"), keccak256("1"), block.chainid, address(settlement)))
        );
    }

    function test_aQuoteIsCarriedOutOnce() public {
        SwapSettlement.Quote memory quote = aQuote();
        bytes memory signature = signQuote(quote);
        swap(quote, signature);
        vm.expectRevert(abi.encodeWithSelector(SwapSettlement.NonceUsed.selector, 7));
        swap(quote, signature);
        assertBalances(900e18, 110e18, 100e18, 890e18);
    }

    function test_aNonceIsGoodForOneQuote() public {
        SwapSettlement.Quote memory quote = aQuote();
        swap(quote, signQuote(quote));
        quote.quoteId = bytes16(keccak256("another quote"));
        quote.makerAmount = 1;
        bytes memory signature = signQuote(quote);
        vm.expectRevert(abi.encodeWithSelector(SwapSettlement.NonceUsed.selector, 7));
        swap(quote, signature);
    }

    function test_aQuoteIsGoodInItsLastSecond() public {
        SwapSettlement.Quote memory quote = aQuote();
        bytes memory signature = signQuote(quote);
        vm.warp(quote.expiry);
        swap(quote, signature);
        assertBalances(900e18, 110e18, 100e18, 890e18);
    }

    function test_aQuoteIsNotGoodASecondLater() public {
        SwapSettlement.Quote memory quote = aQuote();
        bytes memory signature = signQuote(quote);
        vm.warp(quote.expiry + 1);
        vm.expectRevert(abi.encodeWithSelector(SwapSettlement.QuoteExpired.selector, quote.expiry));
        swap(quote, signature);
        assertNothingMoved();
    }

    function test_nobodyElseCarriesOutAQuote() public {
        SwapSettlement.Quote memory q = aQuote();
        bytes memory signature = signQuote(q);
        vm.expectRevert(abi.encodeWithSelector(SwapSettlement.NotTaker.selector, bob, alice));
        vm.prank(bob);
        settlement.swap(q.taker, q.takerToken, q.makerToken, q.takerAmount, q.makerAmount, q.expiry, q.nonce, q.quoteId, signature);
        assertNothingMoved();
    }

    function test_anotherTakerIsRefused() public {
        fund(eur, bob, 100e18);
        SwapSettlement.Quote memory quote = aQuote();
        quote.taker = bob;
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_anotherTakerTokenIsRefused() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.takerToken = address(usd);
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_anotherMakerTokenIsRefused() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.makerToken = address(eur);
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_anotherTakerAmountIsRefused() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.takerAmount -= 1;
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_anotherMakerAmountIsRefused() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.makerAmount += 1;
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_anotherExpiryIsRefused() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.expiry += 1;
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_anotherNonceIsRefused() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.nonce += 1;
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_anotherQuoteIdIsRefused() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.quoteId = bytes16(keccak256("another quote"));
        expectInvalid(quote);
        assertNothingMoved();
    }

    function test_aSignatureOfAnotherKeyIsRefused() public {
        bytes memory signature = signDigest(ALICE_KEY, digestOf(aQuote()));
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), signature);
    }

    function test_noSignatureIsRefused() public {
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), "");
    }

    function test_aQuoteForAnotherContractIsRefused() public {
        SwapSettlement other = new SwapSettlement(owner, maker);
        bytes memory signature = signDigest(MAKER_KEY, digestUnder(other.DOMAIN_SEPARATOR(), aQuote()));
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), signature);
        assertNothingMoved();
    }

    function test_aQuoteForAnotherChainIsRefused() public {
        bytes memory signature = signQuote(aQuote());
        uint256 here = block.chainid;
        vm.chainId(here + 1);
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), signature);
        vm.chainId(here);
        swap(aQuote(), signature);
    }

    function test_aTakerWithoutAllowanceLosesNothing() public {
        SwapSettlement.Quote memory quote = aQuote();
        bytes memory signature = signQuote(quote);
        vm.prank(alice);
        eur.approve(address(settlement), 100e18 - 1);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), 100e18 - 1, 100e18)
        );
        swap(quote, signature);
        assertNothingMoved();
    }

    function test_aTakerWithoutBalanceLosesNothing() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.takerAmount = 1_000e18 + 1;
        bytes memory signature = signQuote(quote);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, 1_000e18, 1_000e18 + 1));
        swap(quote, signature);
        assertNothingMoved();
    }

    function test_whatAMakerWithoutAllowanceCannotPayIsNotTaken() public {
        SwapSettlement.Quote memory quote = aQuote();
        bytes memory signature = signQuote(quote);
        vm.prank(maker);
        usd.approve(address(settlement), 0);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), 0, 110e18));
        swap(quote, signature);
        assertNothingMoved();
    }

    function test_whatAMakerWithoutBalanceCannotPayIsNotTaken() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.makerAmount = 1_000e18 + 1;
        bytes memory signature = signQuote(quote);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, maker, 1_000e18, 1_000e18 + 1));
        swap(quote, signature);
        assertNothingMoved();
    }

    function test_aBlockedTakerOrMakerSwapsNothing() public {
        bytes memory signature = signQuote(aQuote());
        address[2] memory parties = [alice, maker];
        for (uint256 i = 0; i < 2; ++i) {
            vm.prank(admin);
            usd.blockAccount(parties[i]);
            vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, parties[i]));
            swap(aQuote(), signature);
            vm.prank(admin);
            usd.unblockAccount(parties[i]);
        }
        assertNothingMoved();
    }

    function test_aPausedTokenSwapsNothing() public {
        bytes memory signature = signQuote(aQuote());
        vm.prank(admin);
        usd.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        swap(aQuote(), signature);
        assertNothingMoved();
    }

    function test_theMakerCancelsQuotes() public {
        bytes memory signature = signQuote(aQuote());
        uint256[] memory nonces = new uint256[](3);
        (nonces[0], nonces[1], nonces[2]) = (7, 300, 7);
        vm.recordLogs();
        vm.prank(maker);
        settlement.cancelNonces(nonces);
        vm.assertEq(vm.getRecordedLogs().length, 2, "a nonce is cancelled once");
        vm.assertTrue(settlement.nonceUsed(7));
        vm.assertTrue(settlement.nonceUsed(300));
        vm.expectRevert(abi.encodeWithSelector(SwapSettlement.NonceUsed.selector, 7));
        swap(aQuote(), signature);
    }

    function test_onlyTheMakerCancels() public {
        uint256[] memory nonces = new uint256[](1);
        vm.expectRevert(abi.encodeWithSelector(SwapSettlement.NotMaker.selector, owner));
        vm.prank(owner);
        settlement.cancelNonces(nonces);
    }

    function test_anotherMakerEndsTheQuotesOfTheFirst() public {
        bytes memory signature = signQuote(aQuote());
        vm.expectEmit(true, true, true, true, address(settlement));
        emit SwapSettlement.MakerSet(bob);
        vm.prank(owner);
        settlement.setMaker(bob);
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), signature);
    }

    function test_withoutAMakerNothingIsSwapped() public {
        bytes memory signature = signQuote(aQuote());
        vm.prank(owner);
        settlement.setMaker(address(0));
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), signature);
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), new bytes(65));
    }

    function test_onlyTheOwnerSetsTheMaker() public {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, maker));
        vm.prank(maker);
        settlement.setMaker(bob);
    }

    function test_anOwnerTakesOverInTwoSteps() public {
        vm.prank(owner);
        settlement.transferOwnership(bob);
        vm.assertEq(settlement.owner(), owner);
        vm.prank(bob);
        settlement.acceptOwnership();
        vm.assertEq(settlement.owner(), bob);
    }

    function test_aContractMakerSignsByErc1271() public {
        ApprovingWallet wallet = new ApprovingWallet();
        vm.prank(owner);
        settlement.setMaker(address(wallet));
        fund(usd, address(wallet), 500e18);
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), "");
        wallet.approve(digestOf(aQuote()));
        swap(aQuote(), "");
        vm.assertEq(usd.balanceOf(alice), 110e18);
        vm.assertEq(usd.balanceOf(address(wallet)), 390e18);
        vm.assertEq(eur.balanceOf(address(wallet)), 100e18);
    }

    function test_aMakerWithEip7702CodeSignsWithItsKey() public {
        vm.etch(maker, abi.encodePacked(hex"ef0100", address(new RevertingWallet())));
        swap(aQuote(), signQuote(aQuote()));
        assertBalances(900e18, 110e18, 100e18, 890e18);
    }

    function test_aContractMakerThatFailsHasNotSigned() public {
        address wallet = address(new RevertingWallet());
        vm.prank(owner);
        settlement.setMaker(wallet);
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), "");
    }

    function test_aTokenThatCallsBackFindsTheQuoteSpent() public {
        CallingBackToken calling = new CallingBackToken(settlement);
        SwapSettlement.Quote memory quote = aQuote();
        quote.taker = address(calling);
        quote.takerToken = address(calling);
        bytes memory signature = signQuote(quote);
        calling.prepare(quote, signature);
        swap(quote, signature);
        vm.assertEq(calling.answer(), SwapSettlement.NonceUsed.selector);
        vm.assertEq(usd.balanceOf(maker), 890e18, "the maker paid once");
    }

    function test_aTokenThatSaysFalseIsNoPayment() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.takerToken = address(new FalseToken());
        bytes memory signature = signQuote(quote);
        vm.expectRevert(abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, quote.takerToken));
        swap(quote, signature);
        assertNothingMoved();
    }

    function test_aTokenThatSaysNothingPays() public {
        SilentToken silent = new SilentToken();
        SwapSettlement.Quote memory quote = aQuote();
        quote.takerToken = address(silent);
        swap(quote, signQuote(quote));
        vm.assertEq(silent.moved(), 100e18);
        vm.assertEq(usd.balanceOf(alice), 110e18);
    }

    function test_anAddressWithoutCodeIsNoPayment() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.takerToken = address(0xDEAD);
        bytes memory signature = signQuote(quote);
        vm.expectRevert(abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, quote.takerToken));
        swap(quote, signature);
        assertNothingMoved();
    }

    function testFuzz_anyQuoteMovesExactlyItsAmounts(uint256 takerAmount, uint256 makerAmount, uint256 nonce, uint256 life, bytes16 id) public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.takerAmount = bound(takerAmount, 0, 1_000e18);
        quote.makerAmount = bound(makerAmount, 0, 1_000e18);
        quote.nonce = nonce;
        quote.expiry = bound(life, block.timestamp, type(uint256).max);
        quote.quoteId = id;
        swap(quote, signQuote(quote));
        assertBalances(1_000e18 - quote.takerAmount, quote.makerAmount, quote.takerAmount, 1_000e18 - quote.makerAmount);
        vm.assertTrue(settlement.nonceUsed(nonce));
    }

    function testFuzz_noOtherQuoteIsGood(SwapSettlement.Quote memory altered) public {
        SwapSettlement.Quote memory quote = aQuote();
        vm.assume(keccak256(abi.encode(altered)) != keccak256(abi.encode(quote)));
        if (altered.expiry < block.timestamp) altered.expiry = block.timestamp + altered.expiry % 1 days;
        expectInvalid(altered);
    }

    function testFuzz_noOtherSignatureIsGood(bytes memory signature) public {
        vm.assume(keccak256(signature) != keccak256(signQuote(aQuote())));
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), signature);
    }

    function testFuzz_oneChangedBitSpoilsASignature(uint256 place) public {
        bytes memory signature = signQuote(aQuote());
        place = bound(place, 0, 65 * 8 - 1);
        signature[place / 8] ^= bytes1(uint8(1 << (place % 8)));
        vm.expectRevert(SwapSettlement.InvalidSignature.selector);
        swap(aQuote(), signature);
    }

    /// @dev The gas of the call alone, between accounts that have held both tokens before, with warm addresses. As a whole transaction it takes 97,000
    /// on a node.
    function test_aSwapTakesAtMost62_000Gas() public {
        SwapSettlement.Quote memory quote = aQuote();
        quote.nonce = 6;
        swap(quote, signQuote(quote));
        quote.nonce = 7;
        bytes memory signature = signQuote(quote);
        vm.cool(address(settlement));
        vm.cool(address(eur));
        vm.cool(address(usd));
        vm.prank(alice);
        uint256 before = gasleft();
        settlement.swap(
            quote.taker, quote.takerToken, quote.makerToken, quote.takerAmount, quote.makerAmount, quote.expiry, quote.nonce, quote.quoteId, signature
        );
        vm.assertLe(before - gasleft(), 62_000);
    }
}
