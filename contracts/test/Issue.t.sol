// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {BlockableERC20} from "../src/BlockableERC20.sol";
import {EMoneyToken} from "../src/EMoneyToken.sol";
import {IEMoneyToken, IssueRefusal} from "../src/IEMoneyToken.sol";
import {PackedBatch} from "../src/PackedBatch.sol";
import {Batches, IssueItem} from "./support/Batches.sol";
import {TokenTest} from "./support/TokenTest.sol";

contract IssueTest is TokenTest {
    using Batches for IssueItem[];
    using Batches for IssueItem;

    function expectIssued(IssueItem memory item) private {
        vm.expectEmit(true, true, true, true, address(token));
        emit IERC20.Transfer(address(0), item.account, item.amount);
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.Issued(item.orderId, item.account, item.amount, item.sequence);
    }

    function expectRefused(IssueItem memory item, IssueRefusal reason) private {
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.IssueRefused(item.orderId, item.account, item.amount, item.sequence, reason);
    }

    function issueAll(IssueItem[] memory items) private {
        bytes memory batch = items.pack();
        vm.prank(operator);
        token.issue(batch);
    }

    function test_mintsEachItem() public {
        IssueItem[] memory items = new IssueItem[](3);
        items[0] = issueItem(7, alice, 10e18);
        items[1] = issueItem(300, bob, 5e18);
        items[2] = issueItem(8, alice, 1e16);
        for (uint256 i = 0; i < 3; ++i) expectIssued(items[i]);
        issueAll(items);

        vm.assertEq(token.balanceOf(alice), 10.01e18);
        vm.assertEq(token.balanceOf(bob), 5e18);
        vm.assertEq(token.totalSupply(), 15.01e18);
        vm.assertEq(token.mintAllowance(operator), 1_000_000e18 - 15.01e18);
        vm.assertTrue(token.sequenceUsed(7) && token.sequenceUsed(8) && token.sequenceUsed(300));
        vm.assertFalse(token.sequenceUsed(6) || token.sequenceUsed(9) || token.sequenceUsed(299) || token.sequenceUsed(263));
    }

    function test_aRunCrossesTheWordsOfSequenceNumbers() public {
        IssueItem[] memory items = new IssueItem[](600);
        for (uint64 i = 0; i < 600; ++i) items[i] = issueItem(200 + i, alice, 1e16);
        issueAll(items);
        vm.assertEq(token.balanceOf(alice), 6e18);
        for (uint64 i = 200; i < 800; ++i) vm.assertTrue(token.sequenceUsed(i));
        vm.assertFalse(token.sequenceUsed(199) || token.sequenceUsed(800));
        issueAll(items);
        vm.assertEq(token.totalSupply(), 6e18);
    }

    function test_passesOverAUsedSequenceInSilence() public {
        issue(issueItem(7, alice, 10e18));
        vm.recordLogs();
        issue(issueItem(7, bob, 99e18));
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(token.balanceOf(bob), 0);
        vm.assertEq(token.totalSupply(), 10e18);
    }

    function test_mintsASequenceOnceWithinABatchEvenWhenWordsAlternate() public {
        IssueItem[] memory items = new IssueItem[](6);
        items[0] = issueItem(255, alice, 1e16);
        items[1] = issueItem(256, alice, 2e16);
        items[2] = issueItem(255, alice, 4e16);
        items[3] = issueItem(256, alice, 8e16);
        items[4] = issueItem(0, alice, 16e16);
        items[5] = issueItem(type(uint64).max, alice, 32e16);
        issueAll(items);
        vm.assertEq(token.balanceOf(alice), (1 + 2 + 16 + 32) * 1e16);
        vm.assertEq(token.totalSupply(), 51e16);
        vm.assertTrue(token.sequenceUsed(255) && token.sequenceUsed(256) && token.sequenceUsed(0) && token.sequenceUsed(type(uint64).max));
    }

    function test_refusesForGoodAndGoesOn() public {
        vm.prank(admin);
        token.blockAccount(bob);
        IssueItem[] memory items = new IssueItem[](4);
        items[0] = issueItem(0, bob, 1e18);
        items[1] = issueItem(1, address(0), 1e18);
        items[2] = issueItem(2, address(token), 1e18);
        items[3] = issueItem(3, alice, 1e18);
        expectRefused(items[0], IssueRefusal.BlockedAccount);
        expectRefused(items[1], IssueRefusal.InvalidAccount);
        expectRefused(items[2], IssueRefusal.InvalidAccount);
        expectIssued(items[3]);
        issueAll(items);
        vm.assertEq(token.totalSupply(), 1e18);

        vm.prank(admin);
        token.unblockAccount(bob);
        vm.recordLogs();
        issueAll(items);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(token.balanceOf(bob), 0);
    }

    function test_aRefusedItemCountsAgainstTheLimits() public {
        issue(issueItem(0, address(0), 300e18));
        vm.assertEq(token.mintAllowance(operator), 999_700e18);
        vm.assertEq(token.mintable(operator), 699_700e18);
        vm.assertEq(token.totalSupply(), 0);
    }

    function test_aStolenKeyWithoutAllowanceUsesUpNoSequenceNumber() public {
        setAllowance(operator, 0, 700_000e18);
        vm.prank(admin);
        token.blockAccount(bob);
        address[4] memory accounts = [address(0), address(token), bob, alice];
        for (uint64 i = 0; i < 4; ++i) {
            issue(issueItem(i, accounts[i], 0));
            vm.assertFalse(token.sequenceUsed(i));
            vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MintAllowanceExceeded.selector, operator, 0));
            issue(issueItem(i, accounts[i], 0.01e18));
        }
    }

    function test_anItemOfAmountZeroIsPassedOverAndLeavesItsNumber() public {
        IssueItem[] memory items = new IssueItem[](3);
        items[0] = issueItem(0, alice, 1e18);
        items[1] = issueItem(1, alice, 0);
        items[2] = issueItem(2, alice, 1e18);
        issueAll(items);
        vm.assertEq(token.balanceOf(alice), 2e18);
        vm.assertFalse(token.sequenceUsed(1));
        issue(issueItem(1, alice, 1e18));
        vm.assertEq(token.balanceOf(alice), 3e18);
    }

    function test_revertsAsAWholeBeyondTheAllowance() public {
        setAllowance(operator, 1_000e18, 700_000e18);
        IssueItem[] memory items = new IssueItem[](2);
        items[0] = issueItem(0, alice, 1_000e18);
        items[1] = issueItem(1, bob, 0.01e18);
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MintAllowanceExceeded.selector, operator, 1_000e18));
        this.issueExternally(items);
        vm.assertFalse(token.sequenceUsed(0));
        vm.assertEq(token.balanceOf(alice), 0);

        issue(items[0]);
        vm.assertEq(token.mintAllowance(operator), 0);
    }

    function issueExternally(IssueItem[] memory items) external {
        issueAll(items);
    }

    function test_revertsAsAWholeBeyondTheLimitOfADay() public {
        issue(issueItem(0, alice, 600_000e18));
        vm.assertEq(token.mintable(operator), 100_000e18);
        IssueItem[] memory items = new IssueItem[](2);
        items[0] = issueItem(1, alice, 100_000e18);
        items[1] = issueItem(2, alice, 0.01e18);
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.DailyMintLimitExceeded.selector, operator, 700_000e18));
        this.issueExternally(items);

        vm.warp((block.timestamp / 1 days + 1) * 1 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.DailyMintLimitExceeded.selector, operator, 700_000e18));
        this.issueExternally(items);
        vm.warp(block.timestamp + 1);
        issueAll(items);
        vm.assertEq(token.mintAllowance(operator), 299_999.99e18);
        vm.assertEq(token.mintable(operator), 299_999.99e18);
    }

    function test_theSupplyNeverReachesTheFlags() public {
        // The supply itself, since no batch issues that much.
        bytes32 supply = bytes32(uint256(0x1dda33fdcd7a222cda16292c75c34b3ca4d0536784e396efcf68636bb639be00) + 2);
        vm.store(address(token), supply, bytes32(uint256(2 ** 254 - 1 - 1e16)));
        issue(issueItem(0, alice, 1e16));
        vm.assertEq(token.totalSupply(), 2 ** 254 - 1);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.SupplyTooLarge.selector, 2 ** 254 - 1, 1e16));
        issue(issueItem(1, alice, 1e16));
    }

    function test_eachOperatorHasItsOwnAllowance() public {
        bytes32 role = token.OPERATOR_ROLE();
        vm.prank(admin);
        token.grantRole(role, bob);
        bytes memory batch = issueItem(0, alice, 0.01e18).pack();
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MintAllowanceExceeded.selector, bob, 0));
        vm.prank(bob);
        token.issue(batch);
    }

    function test_revertsAsAWholeWhenPaused() public {
        vm.prank(admin);
        token.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        issue(issueItem(0, alice, 1e16));
        vm.prank(admin);
        token.unpause();
        issue(issueItem(0, alice, 1e16));
        vm.assertEq(token.balanceOf(alice), 1e16);
    }

    function test_anEmptyBatchChangesNothing() public {
        vm.prank(operator);
        token.issue("");
        vm.prank(operator);
        token.issue(abi.encodePacked(uint64(5), uint16(0)));
        vm.assertFalse(token.sequenceUsed(0) || token.sequenceUsed(5));
        vm.assertEq(token.mintAllowance(operator), 1_000_000e18);
    }

    function test_revertsWhenCutOffAtAnyByte() public {
        IssueItem[] memory items = new IssueItem[](3);
        for (uint64 i = 0; i < 3; ++i) items[i] = issueItem(i, alice, 1e18);
        items[2].sequence = 9;
        bytes memory whole = items.pack();
        for (uint256 length = 1; length < whole.length; ++length) {
            // Where the first run ends, a whole batch ends.
            if (length == 98) continue;
            bytes memory cut = new bytes(length);
            for (uint256 i = 0; i < length; ++i) cut[i] = whole[i];
            vm.expectRevert(PackedBatch.MalformedBatch.selector);
            vm.prank(operator);
            token.issue(cut);
        }
    }

    function test_revertsBeyondTheLastSequenceNumber() public {
        bytes memory item = abi.encodePacked(orderId(1), alice, uint64(100));
        vm.expectRevert(PackedBatch.MalformedBatch.selector);
        vm.prank(operator);
        token.issue(bytes.concat(abi.encodePacked(type(uint64).max, uint16(2)), item, item));
    }

    function test_anEmptiedAccountCostsNoMoreThanAnExistingOne() public {
        give(alice, 1e18);
        vm.prank(alice);
        token.transfer(bob, 1e18);
        vm.assertEq(token.balanceOf(alice), 0);
        vm.cool(address(token));
        uint256 before = gasleft();
        give(alice, 1e18);
        uint256 emptied = before - gasleft();
        vm.cool(address(token));
        before = gasleft();
        give(alice, 1e18);
        vm.assertLe(emptied, before - gasleft() + 1_000);
    }

    function testFuzz_anyBatchMintsTheSumOfItsDistinctGoodItems(uint64[8] memory sequences, uint40[8] memory amounts, uint8 spread) public {
        setAllowance(operator, 1e9 * 1e18 * 100, 1e9 * 1e18 * 100);
        IssueItem[] memory items = new IssueItem[](8);
        uint256 sum;
        for (uint256 i = 0; i < 8; ++i) {
            items[i] = issueItem(sequences[i] % (uint64(spread) * 8 + 1), alice, (uint256(amounts[i]) + 1) * 1e16);
            bool again;
            for (uint256 j = 0; j < i; ++j) again = again || items[j].sequence == items[i].sequence;
            if (!again) sum += items[i].amount;
        }
        for (uint256 round = 0; round < 2; ++round) {
            issueAll(items);
            vm.assertEq(token.balanceOf(alice), sum);
            vm.assertEq(token.totalSupply(), sum);
            vm.assertEq(token.mintAllowance(operator), 1e9 * 1e18 * 100 - sum);
        }
        for (uint256 i = 0; i < 8; ++i) vm.assertTrue(token.sequenceUsed(items[i].sequence));
    }

    /// @dev Whatever bytes come: nothing beyond the limits, or a revert.
    function testFuzz_anyBytesMintWithinTheLimitsOrRevert(bytes memory batch) public {
        vm.prank(operator);
        try token.issue(batch) {} catch {}
        vm.assertLe(token.totalSupply(), 1_000_000e18 - token.mintAllowance(operator));
        vm.assertLe(token.totalSupply(), 700_000e18);
    }

    /// @dev Runs of any length, order and overlap, around any number, with items of every kind: the same as each item in a batch of its own.
    function testFuzz_aBatchDoesWhatItsItemsDoAlone(uint256 seed, uint64 middle) public {
        EMoneyToken twin = deploy("EUR");
        addOperator(twin);
        vm.prank(admin);
        token.blockAccount(bob);
        vm.prank(admin);
        twin.blockAccount(bob);
        bytes memory batch;
        for (uint256 run = 0; run < 5; ++run) {
            uint256 count = random(seed, run) % 6;
            uint256 first = uint256(middle) + random(seed, run + 10) % 520;
            first = first < 260 ? 0 : first - 260;
            if (first + count > 1 << 64) first = (1 << 64) - count;
            batch = bytes.concat(batch, abi.encodePacked(uint64(first == 1 << 64 ? 0 : first), uint16(count)));
            for (uint256 i = 0; i < count; ++i) {
                IssueItem memory item = anyItem(uint64(first + i), random(seed, 100 * run + i + 20));
                batch = bytes.concat(batch, abi.encodePacked(item.orderId, item.account, uint64(item.amount / 1e16)));
                bytes memory alone = item.pack();
                vm.prank(operator);
                twin.issue(alone);
            }
        }
        vm.prank(operator);
        token.issue(batch);
        demandSame(twin, middle);
    }

    function random(uint256 seed, uint256 index) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, index)));
    }

    function anyItem(uint64 sequence, uint256 kind) private view returns (IssueItem memory) {
        address[4] memory accounts = [alice, bob, address(0), address(0xCAFE)];
        IssueItem memory item = issueItem(sequence, accounts[kind % 4], (kind >> 8) % 3 == 0 ? 0 : (kind >> 16) % 1_000 * 1e16);
        item.orderId = bytes16(bytes32(kind));
        return item;
    }

    function demandSame(EMoneyToken twin, uint64 middle) private view {
        vm.assertEq(token.totalSupply(), twin.totalSupply());
        vm.assertEq(token.mintAllowance(operator), twin.mintAllowance(operator));
        vm.assertEq(token.mintable(operator), twin.mintable(operator));
        vm.assertEq(token.balanceOf(alice), twin.balanceOf(alice));
        vm.assertEq(token.balanceOf(address(0xCAFE)), twin.balanceOf(address(0xCAFE)));
        vm.assertEq(token.totalSupply(), token.balanceOf(alice) + token.balanceOf(address(0xCAFE)));
        for (uint64 distance = 0; distance < 530; ++distance) {
            uint64 sequence;
            unchecked {
                sequence = middle - 265 + distance;
            }
            vm.assertEq(token.sequenceUsed(sequence), twin.sequenceUsed(sequence));
        }
    }
}
