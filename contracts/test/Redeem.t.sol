// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {IEMoneyToken, RedemptionRefusal} from "../src/IEMoneyToken.sol";
import {PackedBatch} from "../src/PackedBatch.sol";
import {Batches, RedeemItem} from "./support/Batches.sol";
import {TokenTest} from "./support/TokenTest.sol";
import {ApprovingWallet} from "./support/Wallets.sol";

contract RedeemTest is TokenTest {
    string private constant TEN = "Send EUR 10 to DE68500105178297336485 at 2026-11-20T17:03Z";
    uint256 private constant CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    function setUp() public override {
        super.setUp();
        give(alice, 100e18);
        give(bob, 100e18);
    }

    /// @dev A refusal that uses the message up.
    function refusesForGood(RedeemItem memory item, RedemptionRefusal reason) private {
        refuses(item, reason);
        vm.assertTrue(token.messageUsed(item.account, hashOf(item.message)));
    }

    /// @dev A refusal that leaves the message to whoever sends it rightly.
    function refusesOnly(RedeemItem memory item, RedemptionRefusal reason) private {
        refuses(item, reason);
        vm.assertFalse(token.messageUsed(item.account, hashOf(item.message)));
    }

    function refuses(RedeemItem memory item, RedemptionRefusal reason) private {
        uint256 balance = token.balanceOf(item.account);
        uint256 supply = token.totalSupply();
        expectRefusedRedemption(item, reason);
        redeem(item);
        vm.assertEq(token.balanceOf(item.account), balance);
        vm.assertEq(token.totalSupply(), supply);
    }

    function redeemAll(RedeemItem[] memory items) private {
        bytes memory batch = Batches.pack(items);
        vm.prank(operator);
        token.redeem(batch);
    }

    function test_burnsWhatTheHolderSigned() public {
        RedeemItem memory item = signedItem(ALICE_KEY, 10e18, TEN);
        vm.expectEmit(true, true, true, true, address(token));
        emit IERC20.Transfer(alice, address(0), 10e18);
        expectRedeemed(item);
        redeem(item);
        vm.assertEq(token.balanceOf(alice), 90e18);
        vm.assertEq(token.totalSupply(), 190e18);
        vm.assertTrue(token.messageUsed(alice, hashOf(TEN)));
        vm.assertFalse(token.messageUsed(bob, hashOf(TEN)));
    }

    function test_takesAnAmountInEachOfItsSpellings() public {
        redeem(signedItem(ALICE_KEY, 10e18, "Send EUR 10.0 to x at 2026-11-20T17:03Z"));
        redeem(signedItem(ALICE_KEY, 10e18, "Send EUR 10.00 to x at 2026-11-20T17:03Z"));
        redeem(signedItem(ALICE_KEY, 0.5e18, "Send EUR 0.5 to x at 2026-11-20T17:03Z"));
        vm.assertEq(token.balanceOf(alice), 79.5e18);
    }

    function test_decidesAMessageOfAHolderOnce() public {
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        RedeemItem memory again = signedItem(ALICE_KEY, 10e18, TEN);
        again.orderId = orderId(1);
        vm.recordLogs();
        redeem(again);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(token.balanceOf(alice), 90e18);

        redeem(signedItem(BOB_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(bob), 90e18);
    }

    function test_aSecondFormOfTheSignatureBurnsNothingMore() public {
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        redeem(redeemItem(alice, 10e18, TEN, highForm(TEN)));
        vm.assertEq(token.balanceOf(alice), 90e18);
    }

    function test_takesEitherFormOfASignature() public {
        redeem(redeemItem(alice, 10e18, TEN, highForm(TEN)));
        bytes memory signature = signMessage(ALICE_KEY, "Send EUR 5 to x at 2026-11-20T17:03Z");
        signature[64] = bytes1(uint8(signature[64]) - 27);
        redeem(redeemItem(alice, 5e18, "Send EUR 5 to x at 2026-11-20T17:03Z", signature));
        vm.assertEq(token.balanceOf(alice), 85e18);
    }

    function highForm(string memory message) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, hashOf(message));
        return abi.encodePacked(r, CURVE_ORDER - uint256(s), v == 27 ? 28 : 27);
    }

    function test_refusesAMalformedMessage() public {
        refusesOnly(signedItem(ALICE_KEY, 10e18, "I hereby declare that I am the address owner."), RedemptionRefusal.MalformedMessage);
    }

    function test_refusesAnotherCurrency() public {
        refusesOnly(signedItem(ALICE_KEY, 10e18, "Send USD 10 to x at 2026-11-20T17:03Z"), RedemptionRefusal.WrongCurrency);
    }

    function test_refusesAnotherAmount() public {
        refusesOnly(signedItem(ALICE_KEY, 10.01e18, "Send EUR 10 to x at 2026-11-20T17:03Z"), RedemptionRefusal.WrongAmount);
        refusesOnly(signedItem(ALICE_KEY, 9.99e18, "Send EUR 10 to y at 2026-11-20T17:03Z"), RedemptionRefusal.WrongAmount);
        refusesOnly(signedItem(ALICE_KEY, 0, "Send EUR 0.00 to x at 2026-11-20T17:03Z"), RedemptionRefusal.WrongAmount);
    }

    function test_refusesABlockedHolder() public {
        vm.prank(admin);
        token.blockAccount(alice);
        refusesForGood(signedItem(ALICE_KEY, 10e18, TEN), RedemptionRefusal.BlockedAccount);
        vm.prank(admin);
        token.unblockAccount(alice);
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(alice), 100e18);
    }

    function test_refusesMoreThanTheHolderHas() public {
        refusesForGood(signedItem(ALICE_KEY, 100.01e18, "Send EUR 100.01 to x at 2026-11-20T17:03Z"), RedemptionRefusal.InsufficientBalance);
        redeem(signedItem(ALICE_KEY, 100e18, "Send EUR 100 to x at 2026-11-20T17:03Z"));
        vm.assertEq(token.balanceOf(alice), 0);
    }

    function test_refusesWhatTheHolderDidNotSign() public {
        refusesOnly(redeemItem(alice, 10e18, TEN, signMessage(BOB_KEY, TEN)), RedemptionRefusal.InvalidSignature);
        refusesOnly(redeemItem(alice, 10e18, "Send EUR 10 to a at 2026-11-20T17:03Z", signMessage(ALICE_KEY, TEN)), RedemptionRefusal.InvalidSignature);
        refusesOnly(redeemItem(alice, 10e18, "Send EUR 10 to b at 2026-11-20T17:03Z", ""), RedemptionRefusal.InvalidSignature);
        refusesOnly(redeemItem(alice, 10e18, "Send EUR 10 to c at 2026-11-20T17:03Z", new bytes(64)), RedemptionRefusal.InvalidSignature);
        refusesOnly(redeemItem(alice, 10e18, "Send EUR 10 to d at 2026-11-20T17:03Z", new bytes(65)), RedemptionRefusal.InvalidSignature);
        bytes memory longer = bytes.concat(signMessage(ALICE_KEY, "Send EUR 10 to e at 2026-11-20T17:03Z"), hex"00");
        refusesOnly(redeemItem(alice, 10e18, "Send EUR 10 to e at 2026-11-20T17:03Z", longer), RedemptionRefusal.InvalidSignature);
    }

    function test_refusesTheZeroAddressThoughRecoveryOfGarbageYieldsIt() public {
        refusesOnly(redeemItem(address(0), 10e18, TEN, new bytes(65)), RedemptionRefusal.InvalidSignature);
        // Even if that account held tokens.
        bytes32 slot = keccak256(abi.encode(address(0), 0x1dda33fdcd7a222cda16292c75c34b3ca4d0536784e396efcf68636bb639be00));
        vm.store(address(token), slot, bytes32(uint256(50e18)));
        vm.assertEq(token.balanceOf(address(0)), 50e18);
        refusesOnly(redeemItem(address(0), 10e18, "Send EUR 10 to a at 2026-11-20T17:03Z", new bytes(65)), RedemptionRefusal.InvalidSignature);
    }

    function test_anAccountWithCodeMaySignWithItsKey() public {
        vm.etch(alice, abi.encodePacked(hex"ef0100", address(new ApprovingWallet())));
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(alice), 90e18);
        refusesOnly(redeemItem(alice, 10e18, "Send EUR 10 to x at 2026-11-20T17:03Z", signMessage(BOB_KEY, "Send EUR 10 to x at 2026-11-20T17:03Z")), RedemptionRefusal.InvalidSignature);
    }

    function test_oneBadItemOfEachKindHoldsNothingUp() public {
        vm.prank(admin);
        token.blockAccount(bob);
        RedeemItem[] memory items = new RedeemItem[](9);
        items[0] = signedItem(ALICE_KEY, 1e18, "Send EUR 1 to first at 2026-11-20T17:03Z");
        items[1] = redeemItem(alice, 1e18, "", "");
        items[2] = signedItem(ALICE_KEY, 1e18, "Send GBP 1 to x at 2026-11-20T17:03Z");
        items[3] = signedItem(ALICE_KEY, 1.01e18, "Send EUR 1 to x at 2026-11-20T17:03Z");
        items[4] = signedItem(BOB_KEY, 1e18, "Send EUR 1 to x at 2026-11-20T17:03Z");
        items[5] = signedItem(ALICE_KEY, 1_000e18, "Send EUR 1000 to x at 2026-11-20T17:03Z");
        items[6] = redeemItem(alice, 1e18, "Send EUR 1 to y at 2026-11-20T17:03Z", hex"00");
        items[7] = items[0];
        items[8] = signedItem(ALICE_KEY, 2e18, "Send EUR 2 to last at 2026-11-20T17:03Z");
        expectRedeemed(items[0]);
        expectRefusedRedemption(items[1], RedemptionRefusal.MalformedMessage);
        expectRefusedRedemption(items[2], RedemptionRefusal.WrongCurrency);
        expectRefusedRedemption(items[3], RedemptionRefusal.WrongAmount);
        expectRefusedRedemption(items[4], RedemptionRefusal.BlockedAccount);
        expectRefusedRedemption(items[5], RedemptionRefusal.InsufficientBalance);
        expectRefusedRedemption(items[6], RedemptionRefusal.InvalidSignature);
        expectRedeemed(items[8]);
        redeemAll(items);
        vm.assertEq(token.balanceOf(alice), 97e18);
        vm.assertEq(token.totalSupply(), 197e18);
    }

    function test_revertsAsAWholeWhenPaused() public {
        vm.prank(admin);
        token.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertFalse(token.messageUsed(alice, hashOf(TEN)));
    }

    /// @dev What an item claims says nothing of its message: whoever holds an operator's key can claim anything.
    function test_aFalseAmountDoesNotVoidTheMessage() public {
        RedeemItem memory item = signedItem(ALICE_KEY, 9e18, TEN);
        refusesOnly(item, RedemptionRefusal.WrongAmount);
        item.amount = 10e18;
        expectRedeemed(item);
        redeem(item);
    }

    function test_aFalseSignatureDoesNotVoidTheMessage() public {
        refusesOnly(redeemItem(alice, 10e18, TEN, signMessage(BOB_KEY, TEN)), RedemptionRefusal.InvalidSignature);
        refusesOnly(redeemItem(alice, 9e18, TEN, ""), RedemptionRefusal.WrongAmount);
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(alice), 90e18);
    }

    /// @dev The order may have been given up since, so the same item must not burn when the account signs later.
    function test_anItemWithAFalseSignatureStaysRefused() public {
        ApprovingWallet wallet = new ApprovingWallet();
        give(address(wallet), 100e18);
        RedeemItem memory item = redeemItem(address(wallet), 10e18, TEN, "");
        refusesOnly(item, RedemptionRefusal.InvalidSignature);
        wallet.approve(hashOf(TEN));
        // Said each time: the operator's own transaction has to show the outcome even where a stolen key has sent the item before.
        refusesOnly(item, RedemptionRefusal.InvalidSignature);

        item.orderId = orderId(7);
        redeem(item);
        vm.assertEq(token.balanceOf(address(wallet)), 90e18);
    }

    /// @dev Items with a false signature are remembered beside messages. An account that cancels an item's hash must not silence the item, or
    /// its order would wait for an outcome for ever.
    function test_cancellingTheHashOfAnItemChangesNothing() public {
        ApprovingWallet wallet = new ApprovingWallet();
        give(address(wallet), 100e18);
        RedeemItem memory item = redeemItem(address(wallet), 10e18, TEN, "");
        vm.prank(address(wallet));
        token.cancelMessage(keccak256(abi.encode(item.orderId, hashOf(TEN), keccak256(""))));
        wallet.approve(hashOf(TEN));
        expectRedeemed(item);
        redeem(item);
        vm.assertEq(token.balanceOf(address(wallet)), 90e18);

        item = redeemItem(address(wallet), 10e18, "Send EUR 10 to x at 2026-11-20T17:03Z", "");
        vm.prank(address(wallet));
        token.cancelMessage(keccak256(abi.encode(item.orderId, hashOf(item.message), keccak256(""))));
        refusesOnly(item, RedemptionRefusal.InvalidSignature);
        wallet.approve(hashOf(item.message));
        refusesOnly(item, RedemptionRefusal.InvalidSignature);
    }

    function test_aMessageExpires30DaysAfterItsTime() public {
        vm.warp(1_795_194_180 + 30 days);
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(alice), 90e18);
        vm.warp(block.timestamp + 1);
        refusesOnly(signedItem(BOB_KEY, 10e18, TEN), RedemptionRefusal.MessageExpired);
        redeem(signedItem(BOB_KEY, 10e18, "Send EUR 10 to x at 2026-11-20T17:03:01Z"));
        refusesOnly(signedItem(BOB_KEY, 10e18, "Send EUR 10 to x at 2026-11-20T17:04+00:01"), RedemptionRefusal.MessageExpired);
        redeem(signedItem(BOB_KEY, 10e18, "Send EUR 10 to x at 2026-11-20T17:03-00:01"));
        vm.assertEq(token.balanceOf(bob), 80e18);
    }

    function test_aMessageOfTheFutureDoesNotExpireEarly() public {
        redeem(signedItem(ALICE_KEY, 10e18, "Send EUR 10 to x at 9999-12-31T23:59Z"));
        refusesOnly(signedItem(ALICE_KEY, 10e18, "Send EUR 10 to x at 0000-01-01T00:00Z"), RedemptionRefusal.MessageExpired);
        vm.assertEq(token.balanceOf(alice), 90e18);
    }

    function test_aHolderCancelsItsMessage() public {
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.MessageCancelled(alice, hashOf(TEN));
        vm.prank(alice);
        token.cancelMessage(hashOf(TEN));
        vm.assertTrue(token.messageUsed(alice, hashOf(TEN)));
        refuses(signedItem(ALICE_KEY, 10e18, TEN), RedemptionRefusal.MessageCancelled);
        redeem(signedItem(BOB_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(bob), 90e18);
    }

    function test_aHolderCancelsWhileBlockedAndPaused() public {
        vm.prank(admin);
        token.blockAccount(alice);
        vm.prank(admin);
        token.pause();
        vm.prank(alice);
        token.cancelMessage(hashOf(TEN));
        vm.assertTrue(token.messageUsed(alice, hashOf(TEN)));
    }

    function test_whatWasDecidedIsNotCancelled() public {
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MessageAlreadyUsed.selector, alice, hashOf(TEN)));
        vm.prank(alice);
        token.cancelMessage(hashOf(TEN));
        vm.prank(bob);
        token.cancelMessage(hashOf(TEN));
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MessageAlreadyUsed.selector, bob, hashOf(TEN)));
        vm.prank(bob);
        token.cancelMessage(hashOf(TEN));
    }

    function test_revertsWhenCutOffAtAnyByte() public {
        bytes memory whole = Batches.pack(signedItem(ALICE_KEY, 10e18, TEN));
        for (uint256 length = 1; length < whole.length; ++length) {
            bytes memory cut = new bytes(length);
            for (uint256 i = 0; i < length; ++i) cut[i] = whole[i];
            vm.expectRevert(PackedBatch.MalformedBatch.selector);
            vm.prank(operator);
            token.redeem(cut);
        }
    }

    /// @dev Whatever bytes come: without a signature nothing burns.
    function testFuzz_anyBytesBurnNothing(bytes memory batch) public {
        vm.prank(operator);
        try token.redeem(batch) {} catch {}
        vm.assertEq(token.totalSupply(), 200e18);
    }

    function testFuzz_noSignatureButTheHoldersBurns(bytes memory signature, uint256 key) public {
        refusesOnly(redeemItem(alice, 10e18, TEN, signature), RedemptionRefusal.InvalidSignature);
        key = bound(key, 1, CURVE_ORDER - 1);
        vm.assume(key != ALICE_KEY);
        refusesOnly(redeemItem(alice, 10e18, "Send EUR 10 to x at 2026-11-20T17:03Z", signMessage(key, "Send EUR 10 to x at 2026-11-20T17:03Z")), RedemptionRefusal.InvalidSignature);
    }

    function testFuzz_onlyTheSignedAmountBurns(uint256 claimed, uint16 cents) public {
        uint256 amount = bound(cents, 1, 9_999) * 1e16;
        string memory message = string.concat("Send EUR ", vm.toString(amount / 1e18), ".", vm.toString(amount / 1e17 % 10), vm.toString(amount / 1e16 % 10), " to x at 2026-11-20T17:03Z");
        claimed = bound(claimed, 0, 20_000) * 1e16;
        redeem(signedItem(ALICE_KEY, claimed, message));
        vm.assertEq(token.balanceOf(alice), claimed == amount ? 100e18 - amount : 100e18);
        redeem(signedItem(BOB_KEY, amount, message));
        vm.assertEq(token.balanceOf(bob), 100e18 - amount);
    }
}
